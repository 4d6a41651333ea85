"""`manage.py archive`: writes days to the archive without removing anything."""

from argparse import ArgumentParser
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from governance.models import Project
from outcomes.retention.commands.archive import ArchiveUnavailable, archive_due, is_on


class Command(BaseCommand):
    help = "Write calls to the archive, a file per day, up to a given day."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="project slug")
        parser.add_argument(
            "--until", type=date.fromisoformat, help="last day, as 2026-11-18; default: yesterday"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"No project is named {options['project']}.")
        if not is_on():
            raise CommandError("Set EDICTUM_SITE_ARCHIVE to a folder or a bucket first.")
        now = timezone.now()
        last = options["until"] or now.astimezone(UTC).date() - timedelta(days=1)
        end = datetime.combine(last + timedelta(days=1), time(), UTC)
        try:
            days = archive_due(project, min(end, now))
        except ArchiveUnavailable as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{days:,} days with calls written.")
