"""Switches an account off or on, for all projects of the console."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from governance import commands, queries
from governance.domain.actor import CONSOLE
from governance.domain.errors import Conflict


class Command(BaseCommand):
    help = "Deactivate a person's account: sign-in, sessions and keys end at once. Or activate it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("to", choices=["deactivate", "activate"])
        parser.add_argument("email")

    def handle(self, *args: Any, **options: Any) -> None:
        user = queries.user_with(options["email"])
        if user is None:
            raise CommandError(f"No account has the e-mail {options['email']}.")
        switch = {
            "deactivate": commands.deactivate_account,
            "activate": commands.activate_account,
        }[options["to"]]
        try:
            switch(user, by=CONSOLE)
        except Conflict as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{user.email}: {options['to']}d")
