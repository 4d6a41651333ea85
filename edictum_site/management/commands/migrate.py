"""Django's `migrate`, except that tables of a new database are created in one step."""

from typing import Any

from django.core.management.commands import migrate
from django.db import connections

from edictum_site.management import new_tables
from edictum_site.management.commands import prepare

# With any of these options, run Django's command unchanged.
ABOUT_STEPS = ("app_label", "fake", "fake_initial", "plan", "check_unapplied")


class Command(migrate.Command):
    def run_from_argv(self, argv: list[str]) -> None:
        """Without arguments, prepare everything that hosts share, one process at a time."""
        if argv[2:]:
            super().run_from_argv(argv)
        else:
            prepare.Command().run_from_argv([argv[0], "prepare", "--shared"])

    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        if not any(options[name] for name in ABOUT_STEPS) and new_tables.nothing_there(connection):
            new_tables.make_all(connection)
        super().handle(*args, **options)
