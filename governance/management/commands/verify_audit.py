"""Verifies that no entries of the audit log were changed, removed or inserted."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from governance.audit_log import SignedHead, heads_in, verify
from governance.models import Project


class Command(BaseCommand):
    help = "Verify the chain of every project's audit log, and the heads that were signed earlier."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--against",
            type=Path,
            action="append",
            default=[],
            metavar="FILE",
            help="copy of signed heads: downloaded from the audit log, or a log file",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        heads = [head for path in options["against"] for head in _heads_of(path)]
        projects = list(Project.objects.order_by("slug"))
        broken = sum(self._is_broken(project, heads) for project in projects)
        known = {project.pk for project in projects}
        lost = {head.slug for head in heads if head.project_id not in known}
        for slug in sorted(lost):
            self.stdout.write(f"{slug}: BROKEN. The project and its log are gone.")
        if broken or lost:
            number = broken + len(lost)
            raise CommandError(f"Tampering detected. Projects with an altered audit log: {number}.")

    def _is_broken(self, project: Project, heads: list[SignedHead]) -> bool:
        broken = verify(project, heads)
        if broken is None:
            of_project = sum(head.project_id == project.pk for head in heads)
            copies = f", {of_project} earlier heads match" if of_project else ""
            self.stdout.write(f"{project.slug}: intact{copies}")
            return False
        self.stdout.write(f"{project.slug}: BROKEN at entry {broken.number}. {broken.why}")
        return True


def _heads_of(path: Path) -> list[SignedHead]:
    try:
        heads = list(heads_in(path.read_text("utf-8", errors="replace")))
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from None
    if not heads:
        raise CommandError(f"{path} has no signed head. Download heads from the audit log.")
    return heads
