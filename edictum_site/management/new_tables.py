"""The tables of a new database, made at once from the models.

Step by step they are the same, but Django draws all models anew for each operation of each step:
five seconds of a first start, and of every database that a test makes. A test compares the two.
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
    """All or nothing: whoever dies here leaves a database that is still new."""
    executor = MigrationExecutor(connection)
    steps = executor.migration_plan(executor.loader.graph.leaf_nodes())
    with connection.schema_editor() as editor:
        for model in apps.get_models():
            if model._meta.can_migrate(connection):
                editor.create_model(model)
        for step, _ in steps:
            for made in by_hand(step):
                made.code(cast(StateApps, apps), editor)  # as the last step would leave them
        executor.recorder.ensure_schema()
        for step, _ in steps:
            executor.recorder.record_applied(step.app_label, step.name)


def by_hand(step: Migration) -> list[RunPython]:
    """Hand-written steps of a migration; those that only move rows have nothing to undo."""
    if step.app_label not in OURS:
        return []
    return [
        operation
        for operation in step.operations
        if isinstance(operation, RunPython) and operation.reverse_code is not RunPython.noop
    ]
