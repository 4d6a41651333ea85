"""Verifies that no entry of the audit log was changed, removed or inserted."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from governance.audit_log import verify
from governance.models import Project


class Command(BaseCommand):
    help = "Verify the hash chain of every project's audit log."

    def handle(self, *args: Any, **options: Any) -> None:
        broken = 0
        for project in Project.objects.all():
            number = verify(project)
            broken += number is not None
            state = "intact" if number is None else f"BROKEN at entry {number}"
            self.stdout.write(f"{project.slug}: {state}")
        if broken:
            raise CommandError(f"Tampering detected. Projects with an altered audit log: {broken}.")
