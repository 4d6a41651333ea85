"""Old and new code on one schema: for one release side by side, and no longer."""

import re
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import (
    AddField,
    AlterField,
    AlterModelTable,
    DeleteModel,
    RemoveField,
    RenameField,
    RenameModel,
    RunSQL,
    SeparateDatabaseAndState,
)
from django.db.migrations.operations.base import Operation
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ProjectState
from django.db.models import DateTimeField, Field, IntegerField

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


REMOVES = re.compile(r"\b(DROP\s+(TABLE|COLUMN|VIEW)|RENAME|SET\s+NOT\s+NULL)\b", re.IGNORECASE)


def breaks_older_code(operation: Operation, app: str, before: ProjectState) -> bool:
    """Whether code that does not know of it fails: what it reads is gone, or what it inserts lacks
    a value that the database demands."""
    match operation:
        case AddField(field=field):
            return not (has_value_of_its_own(field) or field.many_to_many)
        case AlterField(field=field):
            older = before.models[app, operation.model_name_lower].fields[operation.name]
            return older.null and not has_value_of_its_own(field)
        case RemoveField() | DeleteModel() | RenameField() | RenameModel() | AlterModelTable():
            return True
        case RunSQL(sql=sql):
            return REMOVES.search(str(sql)) is not None
        case SeparateDatabaseAndState(database_operations=parts):
            return any(breaks_older_code(each, app, before) for each in parts)
        case _:
            return False


def has_value_of_its_own(field: "Field[Any, Any]") -> bool:
    return field.null or field.has_db_default()


def test_migrations_of_this_generation_leave_older_code_working():
    """Add first, with `db_default`; remove a release later. Where that is impossible, name the
    migration in BASE of outcomes/core/schema.py, and set OLDEST to a GENERATION that was not
    released yet."""
    loader, breaking = MigrationLoader(None), []
    for key, migration in loader.disk_migrations.items():
        app, name = key
        if app not in BASE or name <= BASE[app]:
            continue
        state = loader.project_state(key, at_end=False)
        for operation in migration.operations:
            if breaks_older_code(operation, app, state):
                breaking.append(f"{app}.{name}: {operation.describe()}")
            operation.state_forwards(app, state)
    assert breaking == []


NUMBER = IntegerField()


@pytest.mark.parametrize(
    ("operation", "breaks"),
    [
        (AddField("host", "one", NUMBER), True),
        (AddField("host", "one", IntegerField(null=True)), False),
        (AddField("host", "one", IntegerField(db_default=0)), False),
        (AlterField("artifact", "removed_at", DateTimeField()), True),
        (AlterField("artifact", "removed_at", DateTimeField(null=True)), False),
        (RemoveField("host", "name"), True),
        (RenameField("host", "name", "label"), True),
        (DeleteModel("host"), True),
        (RunSQL("ALTER TABLE outcomes_host ALTER COLUMN name SET NOT NULL"), True),
        (RunSQL("CREATE INDEX one ON outcomes_host (name)"), False),
        (SeparateDatabaseAndState([RunSQL("DROP TABLE outcomes_host")]), True),
    ],
)
def test_what_breaks_older_code(operation, breaks):
    assert breaks_older_code(operation, "outcomes", MigrationLoader(None).project_state()) is breaks
