"""Differences between PostgreSQL and SQLite, by name, so that no room checks which is in use."""

from django.conf import settings

if settings.DATABASES["default"]["ENGINE"].endswith("postgresql"):
    from outcomes.database.postgresql import (
        BEGINNING,
        CALLS_PER_COMMIT,
        CLOCK,
        IS_SERVER,
        ITEMS_PER_CLAIM,
        ITEMS_PER_LARGE_CLAIM,
        KEEP_ROWS,
        NAME,
        NO_BYTES,
        limit_statements,
        one_of_digests,
        one_of_many_digests,
        one_of_numbers,
        pairs,
        starting_with,
        try_lock,
        using_index,
    )
else:
    from outcomes.database.sqlite import (
        BEGINNING,
        CALLS_PER_COMMIT,
        CLOCK,
        IS_SERVER,
        ITEMS_PER_CLAIM,
        ITEMS_PER_LARGE_CLAIM,
        KEEP_ROWS,
        NAME,
        NO_BYTES,
        limit_statements,
        one_of_digests,
        one_of_many_digests,
        one_of_numbers,
        pairs,
        starting_with,
        try_lock,
        using_index,
    )

__all__ = [
    "BEGINNING",
    "CALLS_PER_COMMIT",
    "CLOCK",
    "IS_SERVER",
    "ITEMS_PER_CLAIM",
    "ITEMS_PER_LARGE_CLAIM",
    "KEEP_ROWS",
    "NAME",
    "NO_BYTES",
    "limit_statements",
    "one_of_digests",
    "one_of_many_digests",
    "one_of_numbers",
    "pairs",
    "starting_with",
    "try_lock",
    "using_index",
]
