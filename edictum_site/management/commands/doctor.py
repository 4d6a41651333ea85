"""Check this installation, and suggest a fix for each problem."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from edictum_site.doctor.examination import examine
from edictum_site.doctor.results import as_json, as_text, exit_code


class Command(BaseCommand):
    help = (
        "Examine configuration, stores, clocks, disks, workers and more. Exits with 1 on a problem."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="for programs")

    def handle(self, *args: Any, **options: Any) -> None:
        results = []
        for result in examine():
            results.append(result)
            if not options["json"]:  # print each line at once, as workers take seconds to answer
                self.stdout.write(as_text([result]))
                self.stdout.flush()
        if options["json"]:
            self.stdout.write(as_json(results))
        sys.exit(exit_code(results))
