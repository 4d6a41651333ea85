"""Reads the database's durability settings through the product's own connection."""

import json

import django

_POSTGRES = (
    *("server_version", "fsync", "synchronous_commit", "full_page_writes", "wal_sync_method"),
    *("wal_level", "max_wal_size", "shared_buffers"),
)
_SQLITE = ("journal_mode", "synchronous", "wal_autocheckpoint", "cache_size", "foreign_keys")


def read_back() -> dict[str, str]:
    from django.db import connection  # noqa: PLC0415 - after Django has been set up

    with connection.cursor() as cursor:

        def answer(question: str) -> str:
            cursor.execute(question)
            return str(cursor.fetchone()[0])

        if connection.vendor == "postgresql":
            return {name: answer(f"SHOW {name}") for name in _POSTGRES}
        version = {"server_version": answer("SELECT sqlite_version()")}
        return version | {name: answer(f"PRAGMA {name}") for name in _SQLITE}


if __name__ == "__main__":
    django.setup()
    print(json.dumps(read_back()))
