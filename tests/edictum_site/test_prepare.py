"""Checks of the database before the product serves requests."""

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from outcomes.core import artifact_store
from outcomes.models import Artifact
from tests import buckets


def test_a_database_from_a_newer_version_is_rejected_with_one_sentence(db):
    MigrationRecorder(connection).record_applied("outcomes", "9999_from_the_future")
    with pytest.raises(CommandError) as refused:
        call_command("prepare")
    (sentence,) = str(refused.value).splitlines()
    assert "a newer Edictum Site (outcomes.9999_from_the_future)" in sentence
    assert sentence.endswith("Start that version, or restore the backup from before the update.")


def test_a_database_from_the_first_release_is_rejected_with_one_sentence(db):
    MigrationRecorder(connection).record_applied("outcomes", "0002_session_store")
    with pytest.raises(CommandError) as refused:
        call_command("prepare")
    (sentence,) = str(refused.value).splitlines()
    assert sentence.startswith("The database is from Edictum Site 0.1")
    assert sentence.endswith("Start with a new data folder or an empty database.")


@pytest.mark.slow
def test_a_misconfigured_artifact_store_is_rejected_with_one_sentence(db, settings):
    settings.ARTIFACTS = buckets.a_bucket().replace("bucket-", "absent-")
    with pytest.raises(CommandError) as refused:
        call_command("prepare")
    (sentence,) = str(refused.value).splitlines()
    assert sentence.endswith("the bucket does not exist. Check EDICTUM_SITE_ARTIFACTS.")


@pytest.mark.slow
def test_an_unreachable_artifact_store_does_not_prevent_the_start(db, settings, capsys):
    with buckets.Line() as line:
        line.mode = "cut"
        settings.ARTIFACTS = buckets.a_bucket(line.url)
        call_command("prepare")
    assert "it does not answer" in capsys.readouterr().out


def test_the_artifact_store_of_another_installation_is_rejected(db, settings, tmp_path):
    settings.ARTIFACTS = tmp_path.as_uri()
    call_command("prepare")
    call_command("prepare")
    artifact_store.place().set_mark("another")
    with pytest.raises(CommandError, match="belongs to another installation"):
        call_command("prepare")


def test_an_artifact_store_without_our_artifacts_is_not_claimed(project, settings, tmp_path):
    settings.ARTIFACTS = (tmp_path / "one").as_uri()
    stored = artifact_store.store(project.pk, [b"x"])
    Artifact.objects.create(
        project=project,
        sha256=stored.sha256,
        size_bytes=1,
        media_type="text/plain",
        created_at=timezone.now(),
    )
    settings.ARTIFACTS = (tmp_path / "other").as_uri()
    call_command("prepare")
    assert artifact_store.place().mark() == ""
    settings.ARTIFACTS = (tmp_path / "one").as_uri()
    call_command("prepare")
    assert artifact_store.place().mark() != ""
