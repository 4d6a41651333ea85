"""Checks saved and bound concurrently, each on its own connection."""

from collections.abc import Callable

import pytest

from governance.checks.commands.bindings import bind
from governance.checks.commands.checks import save_check
from governance.checks.commands.drafts import keep_check_draft, save_check_draft
from governance.checks.domain import Binding
from governance.checks.queries.bindings import bindings_of
from governance.checks.queries.checks import judges
from governance.core.actor import CONSOLE
from governance.core.errors import Conflict
from governance.models import CheckDraft, CheckVersion
from tests import builders
from tests.governance.contracts.test_drafts import an_editor
from tests.governance.naming import FAILS, a_check, bound, check_text
from tests.governance.threads import in_threads

pytestmark = pytest.mark.django_db(transaction=True)
TEXT = check_text(FAILS)
ROUNDS = 3


def met(work: Callable[[], object]) -> str:
    """`done`, or the conflict's code."""
    try:
        work()
    except Conflict as refused:
        return refused.code
    return "done"


def test_concurrent_saves_get_consecutive_version_numbers():
    for _ in range(ROUNDS):
        project = builders.a_project()

        def save(which: int, project=project) -> int:
            return save_check(project, document=f"{TEXT}# {which}\n", by=CONSOLE)[0].number

        assert sorted(in_threads(4, save)) == [1, 2, 3, 4]
        rows = CheckVersion.objects.filter(success_check__project=project)
        assert all(row.compiled["version"] == row.number for row in rows)


def test_one_of_several_concurrent_drafts_is_saved_and_no_text_is_lost():
    for _ in range(ROUNDS):
        project = builders.a_project()
        check = a_check(project).success_check
        people = [an_editor(project) for _ in range(3)]
        texts = [f"{TEXT}# {number}\n" for number in range(3)]
        drafts = [
            keep_check_draft(check, text=text, base=1, seen="", by=who)
            for text, who in zip(texts, people, strict=True)
        ]

        def save(which: int, drafts=drafts, people=people) -> str:
            return met(lambda: save_check_draft(drafts[which], by=people[which]))

        assert sorted(in_threads(3, save)) == ["done", "moved_on", "moved_on"]
        versions = {bytes(each.document).decode() for each in check.versions.all()}
        assert set(texts) <= versions | set(CheckDraft.objects.values_list("text", flat=True))


def test_exactly_one_of_several_concurrent_binding_changes_wins():
    for _ in range(ROUNDS):
        project = builders.a_project()

        def put(which: int, project=project) -> str:
            line = Binding("*", "*", f"tool-{which}", "http")
            return met(lambda: bind(project, [line], revision=0, by=CONSOLE))

        assert sorted(in_threads(4, put)) == ["done", "moved_on", "moved_on", "moved_on"]
        assert (bindings_of(project).revision, len(bindings_of(project).lines)) == (1, 1)


def test_a_committed_version_is_used_for_verdicts_immediately():
    project = builders.a_project()
    a_check(project)
    bound(project, "* mine")

    def save_or_ask(which: int) -> int:
        if which:
            save_check(project, document=f"{TEXT}# {which}\n", by=CONSOLE)
        return judges(project.pk).check_for("production", "bot", "t").version

    for _ in range(ROUNDS):
        in_threads(4, save_or_ask)
        newest = CheckVersion.objects.filter(success_check__project=project).latest("number")
        assert judges(project.pk).check_for("production", "bot", "t").version == newest.number
