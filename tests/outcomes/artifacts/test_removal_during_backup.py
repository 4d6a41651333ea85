"""No artifact is removed while a backup reads them."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from outcomes.artifacts.commands.artifacts import remove_unreferenced_artifacts
from outcomes.core import artifact_store
from outcomes.database import removals_held_back
from outcomes.models import Artifact
from tests import builders

pytestmark = pytest.mark.django_db(transaction=True)


def on_another_connection(work: Callable[[], None]) -> None:
    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


@pytest.fixture
def old_artifact(settings, tmp_path) -> Artifact:
    settings.DATA = tmp_path
    project = builders.a_project()
    stored = artifact_store.store(project.pk, [b"unreferenced"])
    return Artifact.objects.create(
        project=project, sha256=stored.sha256, size_bytes=12, media_type="text/plain",
        created_at=timezone.now() - timedelta(days=3),
    )  # fmt: skip


def test_artifacts_are_removed_after_a_backup_and_not_during_it(old_artifact):
    name = old_artifact.project_id, old_artifact.sha256
    with removals_held_back(1) as is_held:
        assert is_held
        removed = []
        on_another_connection(lambda: removed.append(remove_unreferenced_artifacts()))
        assert removed == [0]
        assert list(artifact_store.stored_names()) == [name]
    assert remove_unreferenced_artifacts() == 1
    assert list(artifact_store.stored_names()) == []


def test_a_second_backup_waits_for_the_first_and_times_out(old_artifact):
    with removals_held_back(1):
        second = []

        def try_second() -> None:
            with removals_held_back(0.2) as is_held:
                second.append(is_held)

        on_another_connection(try_second)
        assert second == [False]
