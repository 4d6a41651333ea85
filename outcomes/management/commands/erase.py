"""`manage.py erase`: erases all data about one agent or one principal."""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from governance.core.actor import CONSOLE
from governance.core.errors import GovernanceError
from governance.models import Project
from outcomes.models import Erasure
from outcomes.retention.commands.erasing import run_erasure, start_erasure, waiting_erasures
from outcomes.search.commands.indexing import run_index, waiting_indexes

PAUSE = 1.0  # seconds


class Command(BaseCommand):
    help = "Erase everything about one agent or one principal. This can't be undone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="project slug")
        who = parser.add_mutually_exclusive_group(required=True)
        who.add_argument("--agent", help="name of the agent")
        who.add_argument("--principal", help="name of the principal")
        parser.add_argument("--yes", action="store_true", help="skip the confirmation")

    def handle(self, *_: Any, **options: Any) -> None:
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"No project is named {options['project']}.")
        about = "agent" if options["agent"] else "principal"
        name = options[about]
        typed = name if options["yes"] else input(f"Type {name} to erase this {about}: ")
        try:
            erasure = start_erasure(project, about=about, name=name, typed=typed, by=CONSOLE)
        except GovernanceError as error:
            raise CommandError(str(error)) from error
        self._report(_ended(erasure))

    def _report(self, erasure: Erasure) -> None:
        erased = erasure.result["erased"]
        figures = ", ".join(
            f"{number:,} {name.replace('_', ' ')}" for name, number in erased.items()
        )
        if erasure.status != Erasure.Status.DONE:
            raise CommandError(f"{erasure.error} Erased so far: {figures or 'nothing'}.")
        self.stdout.write(f"Erased: {figures}.")


def _ended(erasure: Erasure) -> Erasure:
    """Finished erasure, run here or by a worker that claimed it first."""
    while not erasure.has_ended:
        for index in waiting_indexes():
            run_index(index)
        if erasure.pk in waiting_erasures():
            run_erasure(erasure.pk)
        else:
            time.sleep(PAUSE)
        erasure.refresh_from_db()
    return erasure
