"""Back up a running console: database, artifacts and keys in one file."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from edictum_site.backup.archive import Manifest
from edictum_site.backup.making import BackupRefused, make_backup
from edictum_site.backup.programs import NoProgram
from edictum_site.backup.rows import DumpFailed
from edictum_site.program.place import PROGRAM_NAME

SHOWN = 5  # artifacts


class Command(BaseCommand):
    help = "Back up the database, artifacts and keys into one file while the console runs."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="such as edictum.tar.zst")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"].absolute()
        try:
            manifest = make_backup(file)
        except (BackupRefused, DumpFailed, NoProgram) as refused:
            raise CommandError(str(refused)) from None
        except (DatabaseError, OSError) as error:
            reason = (isinstance(error, OSError) and error.strerror) or str(error).strip()
            raise CommandError(f"Backup failed: {reason}.") from error
        self.stdout.write(f"{file}: {in_words(manifest)}, {file.stat().st_size:,} bytes")
        if manifest.unreadable:
            names = ", ".join(manifest.unreadable[:SHOWN])
            raise CommandError(
                f"{len(manifest.unreadable)} artifacts could not be read and are not in the backup"
                f" ({names}). {PROGRAM_NAME} doctor says why."
            )


def in_words(manifest: Manifest) -> str:
    rows = sum(manifest.rows.values())
    return f"{rows:,} rows in {len(manifest.rows)} tables, {manifest.artifacts:,} artifacts"
