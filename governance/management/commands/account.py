"""Deactivates, activates or deletes an account, or removes its second factors."""

from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from governance.core.actor import CONSOLE
from governance.core.errors import Conflict
from governance.people.commands.accounts import (
    activate_account,
    deactivate_account,
    remove_second_factors,
)
from governance.people.commands.deletion import delete_account
from governance.people.queries.people import user_with

DONE = {
    "deactivate": "deactivated",
    "activate": "activated",
    "delete": "deleted",
    "remove-second-factors": "second factors removed",
}


class Command(BaseCommand):
    help = (
        "Deactivate an account (ends its sign-ins and revokes its keys), activate it again, "
        "remove its second factors, or delete it: what the person wrote keeps a name."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("to", choices=[*DONE])
        parser.add_argument("email")

    def handle(self, *args: Any, **options: Any) -> None:
        user = user_with(options["email"])
        if user is None:
            raise CommandError(f"No account with the email {options['email']}.")
        switch: dict[str, Callable[..., object]] = {
            "deactivate": deactivate_account,
            "activate": activate_account,
            "delete": delete_account,
            "remove-second-factors": remove_second_factors,
        }
        email = user.email
        try:
            switch[options["to"]](user, by=CONSOLE)
        except Conflict as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{email}: {DONE[options['to']]}")
