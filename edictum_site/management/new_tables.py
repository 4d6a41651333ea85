"""Create all tables of a new database directly from the models.

Running the migrations gives the same tables, but Django rebuilds all models for each operation:
five seconds at a first start and for every test database. A test compares the two.
"""

from typing import cast

from django.apps import apps
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations import Migration, RunPython
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import StateApps

OURS = ("governance", "outcomes")


def nothing_there(connection: BaseDatabaseWrapper) -> bool:
    return not connection.introspection.table_names()


def make_all(connection: BaseDatabaseWrapper) -> None:
    """Create all tables in one transaction, so that a killed process leaves an empty database."""
    executor = MigrationExecutor(connection)
    steps = executor.migration_plan(executor.loader.graph.leaf_nodes())
    with connection.schema_editor() as editor:
        for model in apps.get_models():
            if model._meta.can_migrate(connection):
                editor.create_model(model)
        for step, _ in steps:
            for made in by_hand(step):
                made.code(cast(StateApps, apps), editor)  # with the models of the last migration
        executor.recorder.ensure_schema()
        for step, _ in steps:
            executor.recorder.record_applied(step.app_label, step.name)


def by_hand(step: Migration) -> list[RunPython]:
    """Hand-written schema operations of a migration. Those that only move rows are excluded,
    recognized by their no-op reverse code."""
    if step.app_label not in OURS:
        return []
    return [
        operation
        for operation in step.operations
        if isinstance(operation, RunPython) and operation.reverse_code is not RunPython.noop
    ]
