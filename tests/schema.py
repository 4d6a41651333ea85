"""Prints the tables of a new database as JSON, created `at-once` or by all migration `steps`.

They are read from the database's catalog, so that both ways can be compared. Column order is
ignored, because it depends on the way and nothing relies on it."""

import json
import sys
from collections.abc import Iterable
from typing import Any

import django
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

INDEXES = {
    "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL",
    "postgresql": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
}
TRIGGERS = {
    "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": ("SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal"),
}
CHECKS = "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'c'"
COLUMNS = {
    "sqlite": 'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(%s)',
    "postgresql": (
        "SELECT column_name, data_type, character_maximum_length, is_nullable, column_default,"
        " is_identity, collation_name FROM information_schema.columns WHERE table_name = %s"
    ),
}


def made_of() -> dict[str, Any]:
    vendor = connection.vendor
    with connection.cursor() as cursor:

        def rows(sql: str, *parameters: str) -> list[Any]:
            cursor.execute(sql, parameters)
            return sorted(map(list, cursor.fetchall()), key=str)

        names = sorted(connection.introspection.table_names(cursor))
        return {
            "indexes": [[name, sql.replace('"', "")] for name, sql in rows(INDEXES[vendor])],
            "triggers": rows(TRIGGERS[vendor]),
            "checks": rows(CHECKS) if vendor == "postgresql" else [],
            "tables": {
                name: {
                    "columns": rows(COLUMNS[vendor], name),
                    "constraints": constraints(
                        connection.introspection.get_constraints(cursor, name).values()
                    ),
                    "rows": rows(f'SELECT COUNT(*) FROM "{name}"'),  # noqa: S608 - a table's own name
                }
                for name in names
            },
        }


def constraints(result: Iterable[Any]) -> list[Any]:
    """Constraints in comparable form: if not unique, with sorted columns, as table order varies."""
    return sorted(
        (
            [
                each["columns"] if each["unique"] else sorted(set(map(str, each["columns"]))),
                *(each[name] for name in ("unique", "primary_key", "check", "foreign_key")),
            ]
            for each in result
        ),
        key=str,
    )


def main(way: str) -> None:
    django.setup()
    if way == "at-once":
        call_command("migrate", verbosity=0)
    else:
        executor = MigrationExecutor(connection)
        executor.migrate(executor.loader.graph.leaf_nodes())
        call_command("migrate", verbosity=0)  # adds what Django records after the last step
    sys.stdout.write(json.dumps(made_of()))


if __name__ == "__main__":
    main(sys.argv[1])
