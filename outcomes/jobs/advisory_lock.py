"""One worker at a time does what several would only do twice."""

from django.db import connection


def is_alone(lock: int) -> bool:
    """Until the transaction ends. SQLite has one writer anyway; `lock` is one of PostgreSQL's
    advisory locks, a number for each kind of work."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [lock])
        return bool(cursor.fetchone()[0])
