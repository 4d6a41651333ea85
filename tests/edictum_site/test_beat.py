"""Tasks on the worker's schedule."""

from edictum_site.celery import app


def test_every_task_of_the_schedule_is_known_to_the_worker():
    app.loader.import_default_modules()
    scheduled = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert scheduled <= set(app.tasks)
    assert "governance.tasks.expire_approvals" in scheduled
