"""Moves artifacts from one store to another."""

import time
from argparse import ArgumentParser
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from governance.core.figures import size
from outcomes.artifacts.commands.moving import (
    MoveRefused,
    Progress,
    copy_artifacts,
    missing_in,
    remove_copied,
)
from outcomes.core import artifact_store
from outcomes.core.artifact_store import fault_words
from outcomes.core.artifact_store.addresses import AddressInvalid
from outcomes.core.artifact_store.places import Place

PRINTED_EVERY: Final = 5.0  # seconds
NAMED: Final = 10  # damaged artifacts listed by name


class Command(BaseCommand):
    help = "Copy artifacts to another store while the console runs. Run it again to continue."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=["move"])
        parser.add_argument("--from", dest="source", help="default: the store in use")
        parser.add_argument(
            "--to", dest="target", required=True, help="file://, s3://, gs://, az://"
        )
        parser.add_argument(
            "--verify", action="store_true", help="read those again that were copied before"
        )
        parser.add_argument(
            "--delete",
            action="store_true",
            help="then delete them from the old store; only once the new one is in use",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        source, target = _place(options["source"], "--from"), _place(options["target"], "--to")
        if options["delete"] and artifact_store.place().name != target.name:
            raise CommandError(
                "Nothing was moved: --delete needs EDICTUM_SITE_ARTIFACTS to name the new store."
            )
        try:
            progress = self._copy(source, target, verify=options["verify"])
            self._report(target, progress)
            if options["delete"]:
                self.stdout.write(f"Deleted from {source.name}: {remove_copied(source, target):,}.")
        except MoveRefused as refused:
            raise CommandError(str(refused)) from None
        except OSError as error:
            raise CommandError(f"{fault_words(error)} Run it again to continue.") from None

    def _copy(self, source: Place, target: Place, *, verify: bool) -> Progress:
        progress, printed_at = Progress(), time.monotonic()
        for progress in copy_artifacts(source, target, verify=verify):
            if time.monotonic() > printed_at + PRINTED_EVERY:
                printed_at = time.monotonic()
                self.stdout.write(f"  {progress.copied:,} copied, {size(progress.size)}")
                self.stdout.flush()
        return progress

    def _report(self, target: Place, progress: Progress) -> None:
        self.stdout.write(
            f"Copied {progress.copied:,} artifacts, {size(progress.size)};"
            f" {progress.present:,} were there already."
        )
        named, missing = missing_in(target)
        self.stdout.write(
            f"The database names {named:,} artifacts; {missing:,} of them are missing in"
            f" {target.name}."
        )
        if progress.damaged:
            names = ", ".join(progress.damaged[:NAMED])
            raise CommandError(
                f"{len(progress.damaged):,} artifacts are damaged in the old store and were not"
                f" copied: {names}."
            )
        if missing:
            raise CommandError("Upload what is missing again, or run this again with its store.")


def _place(address: str | None, option: str) -> Place:
    try:
        return artifact_store.place_named(address) if address else artifact_store.place()
    except AddressInvalid as invalid:
        raise CommandError(f"{option} {invalid}.") from None
