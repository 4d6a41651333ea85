"""An index that finds sessions by how their ids begin.

It is not of the model's: of PostgreSQL it takes an operator class, which SQLite does not know, and
there it holds the first hundred characters, as an id may have more than an index takes. A migration
that makes the table anew, which SQLite does for a column with a default, has to come before it.
"""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

COLUMNS = {
    "postgresql": "project_id, (left(session_id, 100)) text_pattern_ops",
    "sqlite": "project_id, session_id",
}


def make(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    columns = COLUMNS[editor.connection.vendor]
    editor.execute(
        f"CREATE INDEX IF NOT EXISTS session_by_beginning ON outcomes_session ({columns})"
    )


def remove(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    editor.execute("DROP INDEX session_by_beginning")


class Migration(migrations.Migration):
    dependencies = [("outcomes", "0018_what_sessions_repeat")]

    operations = [migrations.RunPython(make, remove)]
