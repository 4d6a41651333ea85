"""Two people edit one contract, one of them in two tabs: in any order of storing, saving and
rebasing, the newest version contains every edit."""

import re
from itertools import permutations

import pytest

from governance.contracts.commands.contracts import save_version
from governance.core.actor import CONSOLE
from governance.models import Bundle, BundleVersion, Draft
from tests import builders
from tests.governance.contracts.test_draft_pages import TEXT
from tests.governance.editing import Editor

ORDERS = sorted(set(permutations("AABBS")))  # S: a second tab of A with a stale draft
MARK = re.compile(r"^(<<<<<<<|=======|>>>>>>>)")


class Tab:
    """One tab of an editor, which always resolves conflicts by including both texts."""

    def __init__(self, editor: Editor, word: str, *, first: bool) -> None:
        self.editor, self.word, self.first = editor, f"# {word}", first
        self.times = 0
        self.open()

    def open(self) -> None:
        self.fields = self.editor.fields(self.editor.open())
        self.fields["text"] = "\n".join(dict.fromkeys(lines_of(self.text)))

    @property
    def text(self) -> str:
        return self.fields["text"]

    def step(self) -> None:
        """Write and store a draft the first time; save a version the second time."""
        self.times += 1
        if self.times == 1:
            parts = [self.word, self.text] if self.first else [self.text, self.word]
            self.fields["text"] = "\n".join(parts)
            self.keep()
        else:
            self.save()

    def keep(self) -> None:
        address = self.editor.address("keep")
        answer = self.editor.client.post(address, self.fields)
        if answer.status_code == 409:  # the response has the other text: copy its missing lines
            there = Draft.objects.get(person=self.editor.member.user)
            assert "was changed in another tab" in answer.text
            assert f'data-elsewhere-revision="{there.revision}"' in answer.text
            mine = self.text.split("\n")
            more = [line for line in lines_of(there.text) if line not in mine]
            self.fields |= {"text": "\n".join([*mine, *more]), "seen": there.revision}
            answer = self.editor.client.post(address, self.fields)
        assert answer.status_code == 200
        self.fields["seen"] = answer.json()["revision"]

    def save(self) -> None:
        """Save once; after a conflict, rebase the draft for the next attempt."""
        self.keep()
        page = self.editor.send("", act="save", **self.fields)
        if " saved." in page.text or " already has this text." in page.text:
            self.open()
            return
        assert "was saved by" in page.text
        shown = self.editor.send(page.text, at=self.editor.address("rebase"))
        assert " merged into your draft" in shown.text
        self.open()


def lines_of(text: str) -> list[str]:
    """Lines with conflict markers removed, so that both sides remain."""
    return [line for line in text.split("\n") if not MARK.match(line)]


def stored_words(bundle: Bundle) -> str:
    versions = [bytes(each.document).decode() for each in bundle.versions.all()]
    return "\n".join([*versions, *Draft.objects.values_list("text", flat=True)])


def newest_text(bundle: Bundle) -> str:
    return bytes(BundleVersion.objects.filter(bundle=bundle).latest("number").document).decode()


@pytest.mark.one_database
@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("begins", "ABS")
def test_no_interleaving_of_two_editors_and_a_stale_tab_loses_text(begins):
    for place, order in enumerate(each for each in ORDERS if each[0] == begins):
        project = builders.a_project()
        bundle = save_version(project, document=TEXT, by=CONSOLE)[0].bundle
        one, two = Editor(project), Editor(project)
        tabs = {
            "A": Tab(one, "of-A", first=False),
            "S": Tab(one, "of-the-stale-tab", first=False),
            "B": Tab(two, "of-B", first=place % 2 == 0),  # at the start, or where A writes
        }
        for who in order:
            tabs[who].step()
            there = stored_words(bundle)
            assert all(tab.word in there for tab in tabs.values() if tab.times), order
        rounds = [tab for _ in range(4) for tab in tabs.values()]
        while not all(tab.word in newest_text(bundle) for tab in tabs.values()):
            assert rounds, (order, newest_text(bundle))
            rounds.pop(0).save()
        newest = newest_text(bundle)
        assert all(newest.count(tab.word) == 1 for tab in tabs.values()), (order, newest)
        assert newest.count("id: b") == 1
