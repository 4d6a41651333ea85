"""Prints a new one-time set-up link, for the day when nobody can get in."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from edictum_site.first_start import set_up_link
from governance.people.queries.people import somebody_can_get_in
from governance.projects.commands.projects import first_project


class Command(BaseCommand):
    help = "Print a link that makes its holder the admin, while no admin is left."

    def handle(self, *args: Any, **options: Any) -> None:
        if somebody_can_get_in():
            raise CommandError(
                "This console has an admin, who can invite others. If only the password is lost:"
                " manage.py changepassword <e-mail>."
            )
        self.stdout.write(set_up_link(first_project()))
