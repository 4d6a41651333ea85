"""SQL triggers per database: audit log entries and heads can't be updated, and only retention
can delete them."""

from typing import Final

_TABLES: Final = ("governance_auditentry", "governance_audithead")
_ALLOWED: Final = (
    "EXISTS (SELECT 1 FROM governance_auditremoval"
    " WHERE project_number = OLD.project_id AND up_to >= OLD.number)"
)
_REFUSED: Final = "the audit log is append-only: only retention removes entries"
_FUNCTIONS: Final = (
    f"""CREATE FUNCTION governance_audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION '{_REFUSED}'; END $$""",
    f"""CREATE FUNCTION governance_audit_delete() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF {_ALLOWED} THEN RETURN OLD; END IF;
        RAISE EXCEPTION '{_REFUSED}';
    END $$""",
)


def _on_postgresql(table: str) -> list[str]:
    refuse = "EXECUTE FUNCTION governance_audit_refuse()"
    return [
        f"CREATE TRIGGER {table}_update BEFORE UPDATE ON {table} FOR EACH ROW {refuse}",
        f"CREATE TRIGGER {table}_truncate BEFORE TRUNCATE ON {table} {refuse}",
        f"CREATE TRIGGER {table}_delete BEFORE DELETE ON {table}"
        " FOR EACH ROW EXECUTE FUNCTION governance_audit_delete()",
    ]


def _on_sqlite(table: str) -> list[str]:
    refuse = f"BEGIN SELECT RAISE(ABORT, '{_REFUSED}'); END"
    return [
        f"CREATE TRIGGER {table}_update BEFORE UPDATE ON {table} {refuse}",
        f"CREATE TRIGGER {table}_delete BEFORE DELETE ON {table} WHEN NOT {_ALLOWED} {refuse}",
    ]


def _dropped(table: str, *events: str, on: str = "") -> list[str]:
    return [f"DROP TRIGGER {table}_{event}{on}" for event in events]


CREATE: Final = {
    "postgresql": [*_FUNCTIONS, *(sql for table in _TABLES for sql in _on_postgresql(table))],
    "sqlite": [sql for table in _TABLES for sql in _on_sqlite(table)],
}
DROP: Final = {
    "postgresql": [
        *(
            sql
            for table in _TABLES
            for sql in _dropped(table, "update", "truncate", "delete", on=f" ON {table}")
        ),
        "DROP FUNCTION governance_audit_refuse()",
        "DROP FUNCTION governance_audit_delete()",
    ],
    "sqlite": [sql for table in _TABLES for sql in _dropped(table, "update", "delete")],
}
