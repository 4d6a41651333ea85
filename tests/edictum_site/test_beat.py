"""Tasks on the worker's schedule."""

from edictum_site.celery import app


def test_every_scheduled_task_is_registered_with_the_worker():
    app.loader.import_default_modules()
    scheduled = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert scheduled <= set(app.tasks)
    assert "governance.tasks.expire_approvals" in scheduled
