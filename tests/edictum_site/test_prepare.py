"""Checks of the database before anything is served."""

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder


def test_a_database_of_a_newer_version_is_refused_with_one_sentence(db):
    MigrationRecorder(connection).record_applied("outcomes", "9999_from_the_future")
    with pytest.raises(CommandError) as refused:
        call_command("prepare")
    (sentence,) = str(refused.value).splitlines()
    assert "a newer Edictum Site (outcomes.9999_from_the_future)" in sentence
    assert sentence.endswith("Start that version, or restore the backup from before the update.")


def test_a_database_of_the_first_release_is_refused_with_one_sentence(db):
    MigrationRecorder(connection).record_applied("outcomes", "0002_session_store")
    with pytest.raises(CommandError) as refused:
        call_command("prepare")
    (sentence,) = str(refused.value).splitlines()
    assert sentence.startswith("The database is from Edictum Site 0.1")
    assert sentence.endswith("Start with a new data folder or an empty database.")
