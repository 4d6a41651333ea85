"""Print a new one-time setup link, for a console without an active admin."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from edictum_site.first_start import set_up_link
from edictum_site.program.place import PROGRAM_NAME
from governance.people.queries.people import somebody_can_get_in
from governance.projects.commands import first_project


class Command(BaseCommand):
    help = "Print a one-time link that creates an admin. Works only while there is no active admin."

    def handle(self, *args: Any, **options: Any) -> None:
        if somebody_can_get_in():
            raise CommandError(
                "This console has an admin, who can invite people. To reset a password:"
                f" {PROGRAM_NAME} changepassword <email>."
            )
        self.stdout.write(set_up_link(first_project()))
