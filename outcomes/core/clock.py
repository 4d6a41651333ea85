"""Database clock, shared by all hosts."""

from datetime import UTC, datetime

from django.db import connection

from outcomes.database import CLOCK


def database_time() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {CLOCK}")
        (now,) = cursor.fetchone()
    return now if isinstance(now, datetime) else datetime.fromisoformat(now).replace(tzinfo=UTC)
