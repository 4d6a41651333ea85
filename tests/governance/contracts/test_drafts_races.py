"""Drafts stored and saved concurrently, each on its own connection."""

from collections.abc import Callable

import pytest

from governance.contracts.commands.contracts import save_version
from governance.contracts.commands.drafts import begin_draft, keep_draft, save_draft
from governance.core.actor import CONSOLE, Actor, person
from governance.core.errors import Conflict
from governance.core.roles import Role
from governance.models import Bundle, BundleVersion, Draft
from tests import builders
from tests.governance.contracts.documents import ALWAYS, document, pre
from tests.governance.threads import in_threads

pytestmark = pytest.mark.django_db(transaction=True)
TEXT = document(pre(ALWAYS))
ROUNDS = 5


def an_editor(project) -> Actor:
    member = builders.a_member(project, Role.EDITOR)
    return person(member.user_id, member.user.email, Role.EDITOR)


def met(work: Callable[[], object]) -> str:
    """`done`, or the conflict's code."""
    try:
        work()
    except Conflict as refused:
        return refused.code
    return "done"


def texts_of(bundle: Bundle) -> set[str]:
    versions = {bytes(each.document).decode() for each in bundle.versions.all()}
    return versions | set(Draft.objects.values_list("text", flat=True))


def test_one_of_several_concurrent_drafts_is_saved_and_no_text_is_lost():
    for _ in range(ROUNDS):
        project = builders.a_project()
        bundle = save_version(project, document=TEXT, by=CONSOLE)[0].bundle
        people = [an_editor(project) for _ in range(3)]
        wrote = [f"{TEXT}\n# {who}" for who in people]
        drafts = [
            keep_draft(bundle, text=text, base=1, seen="", by=who)
            for who, text in zip(people, wrote, strict=True)
        ]

        def save(which: int, drafts=drafts, people=people) -> str:
            return met(lambda: save_draft(drafts[which], by=people[which]))

        assert sorted(in_threads(3, save)) == ["done", "moved_on", "moved_on"]
        assert set(wrote) <= texts_of(bundle)
        assert [each.number for each in bundle.versions.all()] == [2, 1]


def test_one_of_several_concurrent_first_saves_wins_and_the_rest_conflict():
    for _ in range(ROUNDS):
        project = builders.a_project()
        bundle = save_version(project, document=TEXT, by=CONSOLE)[0].bundle
        me = an_editor(project)

        def keep(which: int, bundle=bundle, me=me) -> str:
            text = f"tab {which}"
            return met(lambda: keep_draft(bundle, text=text, base=1, seen="", by=me))

        assert sorted(in_threads(3, keep)) == ["done", "draft_elsewhere", "draft_elsewhere"]
        assert Draft.objects.filter(bundle=bundle).count() == 1


def test_one_of_two_new_contracts_with_the_same_name_is_saved():
    for _ in range(ROUNDS):
        project = builders.a_project()
        people = [an_editor(project) for _ in range(2)]
        drafts = [begin_draft(project, text=f"{TEXT}\n# {who}", by=who) for who in people]

        def save(which: int, drafts=drafts, people=people) -> str:
            return met(lambda: save_draft(drafts[which], by=people[which]))

        assert sorted(in_threads(2, save)) == ["done", "moved_on"]
        assert BundleVersion.objects.filter(bundle__project=project).count() == 1
        assert Draft.objects.filter(project=project).count() == 1
