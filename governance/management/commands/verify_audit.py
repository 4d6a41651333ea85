"""Proves that nobody altered, removed or inserted an entry of the audit log."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from governance.audit_log import verify
from governance.models import Project


class Command(BaseCommand):
    help = "Follow the chain of hashes of every project's audit log."

    def handle(self, *args: Any, **options: Any) -> None:
        broken = 0
        for project in Project.objects.all():
            number = verify(project)
            broken += number is not None
            told = "whole" if number is None else f"BROKEN at entry {number}"
            self.stdout.write(f"{project.slug}: {told}")
        if broken:
            raise CommandError(f"The audit log of {broken} project(s) was tampered with.")
