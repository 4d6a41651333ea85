"""Rejected backups and restores: one error message, and nothing left behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from edictum_site.backup.programs import NoProgram, program
from edictum_site.stack.options import locked_data_folder
from tests.databases import own_database
from tests.edictum_site.backup.installation import Installation


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with own_database() as variables:
        source = Installation(tmp_path_factory.mktemp("source"), variables)
        source.done("prepare")
        yield source


@pytest.fixture(scope="module")
def backup(store: Installation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("backups") / "edictum.tar.zst"
    store.done("backup", str(file))
    return file


@pytest.fixture
def empty(store: Installation, tmp_path: Path) -> Iterator[Installation]:
    with own_database() as variables:
        yield Installation(tmp_path / "empty", variables)


def test_a_backup_does_not_overwrite_a_file(store, backup):
    before = backup.read_bytes()
    assert f"{backup} already exists." in store.refused("backup", str(backup))
    assert backup.read_bytes() == before


def test_a_restore_into_an_installation_with_tables_is_rejected(store, backup):
    refused = store.refused("restore", str(backup))
    assert refused.startswith("This installation is not empty: its database has ")
    assert refused.count("\n") == 0


def test_a_backup_of_a_newer_schema_is_rejected(store, empty, tmp_path):
    newer = "INSERT INTO django_migrations (app, name, applied) VALUES ('outcomes', '{}', '{}')"
    store.execute(newer.format("9999_next", "2026-11-20 00:00:00+00:00"))
    try:
        store.done("backup", str(tmp_path / "newer.tar.zst"))
    finally:
        store.execute("DELETE FROM django_migrations WHERE name = '9999_next'")
    refused = empty.refused("restore", str(tmp_path / "newer.tar.zst"))
    assert "newer Edictum Site" in refused
    assert "(outcomes.9999_next)" in refused


@pytest.mark.parametrize("damage", ["cut off", "changed", "no backup"])
def test_a_damaged_backup_is_rejected_and_nothing_is_restored(backup, empty, tmp_path, damage):
    content = bytearray(backup.read_bytes())
    match damage:
        case "cut off":
            del content[-200:]
        case "changed":
            content[len(content) // 2] ^= 1
        case _:
            content[:] = b"a text"
    (tmp_path / "damaged").write_bytes(content)
    refused = empty.refused("restore", str(tmp_path / "damaged"))
    # Detected by the stream's checksums, or by the hash of a part.
    assert str(tmp_path / "damaged") in refused or refused.startswith("The backup is damaged")
    assert empty.query("SELECT 1 WHERE 1 = 0") == []  # the database responds
    empty.done("restore", str(backup))  # only possible into an empty one


def test_a_backup_with_a_different_secret_key_is_rejected(backup, empty):
    refused = empty.refused("restore", str(backup), EDICTUM_SITE_SECRET_KEY="another")
    assert refused.startswith("EDICTUM_SITE_SECRET_KEY is not the key of the backup")


def test_a_restore_into_a_running_console_is_rejected(backup, tmp_path):
    with locked_data_folder(tmp_path / "running"):
        running = Installation(tmp_path / "running", {"DATABASE_URL": ""})
        refused = running.refused("restore", str(backup))
    assert "is already running on the data folder" in refused


def test_a_postgresql_backup_cannot_be_restored_into_sqlite(backup, tmp_path, store):
    if store.variables["DATABASE_URL"]:
        refused = Installation(tmp_path, {"DATABASE_URL": ""}).refused("restore", str(backup))
        assert "The backup is of PostgreSQL, not SQLite: set DATABASE_URL." in refused


def test_postgresql_programs_must_not_be_older_than_the_server(monkeypatch, tmp_path):
    monkeypatch.setenv("EDICTUM_SITE_PG_BIN", str(tmp_path))
    with pytest.raises(NoProgram, match="pg_dump was not found"):
        program("pg_dump", 16)
    old = tmp_path / "pg_dump"
    old.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6.24'\n")
    old.chmod(0o755)
    with pytest.raises(NoProgram, match="is of PostgreSQL 9, older than 16"):
        program("pg_dump", 16)
    assert program("pg_dump", 9) == str(old)


def test_a_failed_dump_leaves_no_file(store, tmp_path):
    if not store.variables["DATABASE_URL"]:
        return  # SQLite needs no dump program
    failing = tmp_path / "pg_dump"
    failing.write_text(
        "#!/bin/sh\n[ $1 = --version ] && echo 'pg_dump (PostgreSQL) 99.1' && exit\n"
        "echo half of it; echo 'the disk is gone' >&2; exit 1\n"
    )
    failing.chmod(0o755)
    file = tmp_path / "no.tar.zst"
    refused = store.refused("backup", str(file), EDICTUM_SITE_PG_BIN=str(tmp_path))
    assert refused == "pg_dump failed: the disk is gone"
    assert list(tmp_path.glob("no*")) == []


def test_a_backup_names_a_missing_artifact_and_contains_everything_else(store, empty, tmp_path):
    project = store.query("SELECT id FROM governance_project")[0][0]
    name = "a" * 64
    columns = "(project_id, sha256, size_bytes, media_type, created_at, fetches)"
    values = f"({project}, '{name}', 1, 'text/plain', '2026-11-20 00:00:00+00:00', 0)"
    store.execute(f"INSERT INTO outcomes_artifact {columns} VALUES {values}")  # noqa: S608 - ours
    file = tmp_path / "incomplete.tar.zst"
    try:
        ran = store.manage("backup", str(file))
    finally:
        store.execute("DELETE FROM outcomes_artifact")
    assert ran.returncode == 1
    assert f"1 artifacts could not be read and are not in the backup ({project}/{name})" in (
        ran.stderr
    )
    empty.done("restore", str(file))
    assert empty.query("SELECT sha256 FROM outcomes_artifact") == [(name,)]
