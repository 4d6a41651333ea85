"""Old and new code on one schema: for one release side by side, and no longer."""

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import (
    AddField,
    AlterModelTable,
    DeleteModel,
    RemoveField,
    RenameField,
    RenameModel,
)
from django.db.migrations.operations.base import Operation
from django.db.migrations.recorder import MigrationRecorder

from outcomes.core.schema import BASE, GENERATION, OLDEST
from outcomes.health.queries import schema_problem
from outcomes.models import SchemaState


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.DATA = tmp_path


def migrated_by_newer(*, oldest: int) -> None:
    """A newer version left a migration that is unknown here, and its word on older code."""
    MigrationRecorder(connection).record_applied("outcomes", "9999_from_the_future")
    state = {"generation": GENERATION + 1, "oldest": oldest}
    SchemaState.objects.update_or_create(pk=1, defaults=state)


def test_prepare_notes_the_generation(db):
    call_command("prepare")
    (row,) = SchemaState.objects.all()
    assert (row.generation, row.oldest) == (GENERATION, OLDEST)


def test_the_next_generation_may_be_used_and_is_left_as_it_is(db):
    migrated_by_newer(oldest=GENERATION)
    assert schema_problem() == ""
    call_command("prepare")
    (row,) = SchemaState.objects.all()
    assert row.generation == GENERATION + 1


def test_a_generation_that_left_this_code_behind_is_refused(db):
    migrated_by_newer(oldest=GENERATION + 1)
    assert "newer than this version" in schema_problem()
    with pytest.raises(CommandError, match=r"a newer Edictum Site"):
        call_command("prepare")


def test_one_generation_back_is_supported_and_no_more():
    assert GENERATION - 1 <= OLDEST <= GENERATION


def breaks_older_code(operation: Operation) -> bool:
    """Whether code that does not know of it fails: what it reads is gone, or what it inserts lacks
    a value that the database demands."""
    match operation:
        case AddField(field=field):
            has_default = field.null or field.has_db_default() or field.many_to_many
            return not has_default
        case RemoveField() | DeleteModel() | RenameField() | RenameModel() | AlterModelTable():
            return True
        case _:
            return False


def test_migrations_of_this_generation_leave_older_code_working():
    """Add first, with `db_default`; remove a release later. Where that is impossible, name the
    migration in BASE of outcomes/core/schema.py, and set OLDEST to a GENERATION that was not
    released yet."""
    breaking = [
        f"{app}.{name}: {operation.describe()}"
        for (app, name), migration in MigrationLoader(None).disk_migrations.items()
        if app in BASE and name > BASE[app]
        for operation in migration.operations
        if breaks_older_code(operation)
    ]
    assert breaking == []
