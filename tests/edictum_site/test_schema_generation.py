"""Old and new code on the same schema: compatible for one release."""

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
    """Record an unknown migration of a newer version, and the oldest generation it supports."""
    MigrationRecorder(connection).record_applied("outcomes", "9999_from_the_future")
    state = {"generation": GENERATION + 1, "oldest": oldest}
    SchemaState.objects.update_or_create(pk=1, defaults=state)


def test_prepare_records_the_generation(db):
    call_command("prepare")
    (row,) = SchemaState.objects.all()
    assert (row.generation, row.oldest) == (GENERATION, OLDEST)


def test_a_compatible_newer_generation_is_accepted_and_not_changed(db):
    migrated_by_newer(oldest=GENERATION)
    assert schema_problem() == ""
    call_command("prepare")
    (row,) = SchemaState.objects.all()
    assert row.generation == GENERATION + 1


def test_an_incompatible_newer_generation_is_rejected(db):
    migrated_by_newer(oldest=GENERATION + 1)
    assert "newer than this version" in schema_problem()
    with pytest.raises(CommandError, match=r"a newer Edictum Site"):
        call_command("prepare")


def test_at_most_one_previous_generation_is_supported():
    assert GENERATION - 1 <= OLDEST <= GENERATION


REMOVES = re.compile(r"\b(DROP\s+(TABLE|COLUMN|VIEW)|RENAME|SET\s+NOT\s+NULL)\b", re.IGNORECASE)


def breaks_older_code(operation: Operation, app: str, before: ProjectState) -> bool:
    """Whether an operation breaks code that predates it: a column it reads is removed, or a column
    it does not set is required."""
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


def test_migrations_of_this_generation_do_not_break_older_code():
    """Add first, with `db_default`; remove a release later. If that is impossible, name the
    migration in BASE of outcomes/core/schema.py, and set OLDEST to an unreleased GENERATION."""
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
def test_operations_that_break_older_code_are_detected(operation, breaks):
    assert breaks_older_code(operation, "outcomes", MigrationLoader(None).project_state()) is breaks
