"""The number of modules that a page or an outcome runs through, bounded so that changes stay easy
to follow."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from django.conf import settings

from governance.people import auth
from outcomes.ingest.commands import back_pressure
from tests.outcomes.pages import Pages, a_denied_item, an_item

ROOT = f"{settings.BASE}/"
OURS = ("outcomes/", "governance/", "edictum_site/")


def modules_of(work: Callable[[], Any]) -> set[str]:
    """Our files, except models, whose functions ran."""
    files: set[str] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            files.add(frame.f_code.co_filename.removeprefix(ROOT))

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return {file for file in files if file.startswith(OURS) and "/models/" not in file}


def middleware_modules(pages: Pages) -> set[str]:
    """Modules that every request runs through, measured at a URL without a page."""
    return modules_of(lambda: pages.client.get("/p/no-such-project/"))


@pytest.mark.one_database
def test_the_denials_page_runs_through_at_most_30_modules(pages, agent):
    agent.post(a_denied_item("c-1"), an_item("c-2"))
    pages.get("denials/")  # work that is cached once per process is not counted
    used = modules_of(lambda: pages.get("denials/")) - middleware_modules(pages)
    assert len(used) <= 30, "\n".join(sorted(used))


@pytest.mark.one_database
def test_an_outcome_runs_through_at_most_75_modules_to_the_page_of_its_session(pages, agent):
    agent.post(an_item("s-1"))
    pages.get("sessions/s-1/")

    def journey() -> None:
        agent.post(an_item("s-2"))
        assert pages.get("sessions/s-2/").status_code == 200

    auth.forget_keys()  # cached only briefly, so the count must not depend on timing
    back_pressure.forget()
    used = modules_of(journey) - middleware_modules(pages)
    assert len(used) <= 75, "\n".join(sorted(used))
