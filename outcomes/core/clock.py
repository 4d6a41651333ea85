"""The clock that all hosts share: that of the database."""

from datetime import UTC, datetime

from django.db import connection


def database_time() -> datetime:
    is_sqlite = connection.vendor == "sqlite"
    clock = "strftime('%Y-%m-%dT%H:%M:%f', 'now')" if is_sqlite else "clock_timestamp()"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {clock}")
        (now,) = cursor.fetchone()
    return datetime.fromisoformat(now).replace(tzinfo=UTC) if is_sqlite else now
