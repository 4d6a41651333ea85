"""Restore a backup into an empty installation."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from edictum_site.backup.archive import NotABackup
from edictum_site.backup.programs import NoProgram
from edictum_site.backup.restoring import restore_backup
from edictum_site.management.commands.backup import in_words
from edictum_site.program.place import PROGRAM_NAME
from edictum_site.stack.options import StartRefused, locked_data_folder
from edictum_site.stack.private import keep_new_files_private


class Command(BaseCommand):
    help = "Restore a backup into an empty data folder and database."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", type=Path, metavar="FILE", help=f"made by {PROGRAM_NAME} backup"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        keep_new_files_private()
        try:
            with locked_data_folder(settings.DATA):
                manifest = restore_backup(file)
        except (NotABackup, NoProgram, StartRefused) as refused:
            raise CommandError(str(refused)) from None
        except (DatabaseError, OSError) as error:
            reason = (isinstance(error, OSError) and error.strerror) or str(error).strip()
            raise CommandError(f"Restore failed: {reason}.") from error
        self.stdout.write(
            f"Restored and verified: {in_words(manifest)}. Start with {PROGRAM_NAME} up."
        )
