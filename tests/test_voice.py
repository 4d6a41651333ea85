"""Text that users read contains no phrase banned by the design rules."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

ROOT: Path = settings.BASE
BANNED = (
    *(r"\banew\b", r"\bwhoever\b", r"\bought to\b", r"\bas it ought\b", r"\bsomebody\b"),
    *(r"\bnobody\b", r"\bwho asks\b", r"\bstands? here\b", r"\bstand in\b", r"\btakes the role\b"),
    *(r"\btoo early\b", r"\btoo late\b", r"\bset aside\b", r"\bat the door\b", r"\bthe door\b"),
    *(
        r"\bfor ever\b",
        r"\bwhat was noticed\b",
        r"\bjudges?\b",
        r"\bjudged\b",
        r"\bjudgements?\b",
    ),
    *(r"\bis called so\b", r"\bcalled so\b", r"\bis so\b", r"\btime before\b", r"\bhours before\b"),
    *(
        r"\balike\b",
        r"\bis taken\b",
        r"\btaken it\b",
        r"\bnot taken\b",
        r"\bgo on\b",
        r"\bgoes on\b",
    ),
    *(r"\blive keys?\b", r"\bmake a key\b", r"\blet them\b", r"\bbe it\b", r"\bis there\b(?! a)"),
    *(r"\bplease\b", r"\boops\b", r"\bsuccessfully\b", r"\bequal are\b", r"\bruns out\b"),
    *(r"\bneeds attention\b", r"\bis kept\b", r"\bcountings\b", r"\bby itself\b"),
    *(r"\bno time\b", r"\bevery one\b", r"\bits holder\b", r"\bto begin with\b", r"!(?=\s|$)"),
    *(r"\bbegun\b", r"\bcannot stand\b", r"\bby themselves\b", r"\bmake room\b", r"\bwhatever\b"),
    *(r"\bthat nobody\b", r"\bof before\b", r"\bcome back\b", r"\bhave left\b", r"\bused up\b"),
    *(r"\bwithout a word\b", r"\banybody\b", r"\bexists already\b", r"\bticked off\b"),
    *(r"\bis no (?:call|file|json|backup|text)\b", r"\bfrom outside\b", r"\bend the fault\b"),
)
PATTERN = re.compile("|".join(BANNED), re.IGNORECASE)

_COMMENT = re.compile(r"\{#.*?#\}|\{% comment.*?endcomment %\}", re.DOTALL)
_READ = re.compile(r'(?:title|placeholder|aria-label|alt)="([^"]*)"')
_IN_TAGS = re.compile(r"\{% (?:empty_state|note|tile|crumbs|sort_head|dash|slot)\b([^%]*)%\}")
_MARKUP = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|<[^>]*>", re.DOTALL)
_QUOTED = re.compile(r'"([^"]*)"')

# Modules with text that users read: on pages, in the terminal, and in API errors.
SOURCES = (
    *("**/words.py", "**/words/*.py", "**/forms.py", "**/wording.py", "**/errors.py"),
    *("**/management/commands/*.py", "doctor/*.py", "backup/*.py", "described.py", "env.py"),
    *("**/commands.py", "**/commands/*.py", "**/schemas.py", "**/schemas/*.py", "**/wire/*.py"),
)

# Files whose text still has to be rewritten. This list only shrinks.
NOT_DONE: frozenset[str] = frozenset()


def words_of_template(text: str) -> str:
    text = _COMMENT.sub("", text)
    quoted = [words for tag in _IN_TAGS.findall(text) for words in _QUOTED.findall(tag)]
    return "\n".join([_MARKUP.sub(" ", text), *_READ.findall(text), *quoted])


def words_of_module(text: str) -> str:
    """String literals of a module without docstrings and keys; f-strings by their parts."""
    tree = ast.parse(text)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return "\n".join(
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and not (node.value.isidentifier() and node.value.islower())
        and id(node) not in docstrings
    )


def files() -> Iterator[Path]:
    yield from sorted((ROOT / "templates").rglob("*.html"))
    for app in ("edictum_site", "governance", "outcomes"):
        for pattern in SOURCES:
            yield from sorted((ROOT / app).glob(pattern))


def banned_in(path: Path) -> set[str]:
    text = path.read_text("utf-8")
    words = words_of_template(text) if path.suffix == ".html" else words_of_module(text)
    return {phrase.lower() for phrase in PATTERN.findall(words)}


@pytest.mark.parametrize("path", list(files()), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_has_a_banned_phrase(path):
    if str(path.relative_to(ROOT)) not in NOT_DONE:
        assert banned_in(path) == set()


def test_every_file_in_the_rewrite_list_exists():
    assert {name for name in NOT_DONE if not (ROOT / name).is_file()} == set()


@pytest.mark.parametrize(
    ("template", "result"),
    [
        ("<p>Nobody waits.</p>", {"nobody"}),
        ('<a title="Judged anew">x</a>', {"judged", "anew"}),
        ('{% empty_state "Nothing stands here" %}{% endempty_state %}', {"stands here"}),
        ("{# Nobody reads this. #}<p>3 calls</p>", set()),
        ("{% if judged %}{{ anew }}{% endif %}", set()),
        ('<p class="is-kept">Saved</p>', set()),
    ],
)
def test_template_text_extraction_returns_only_visible_text(template, result):
    assert {each.lower() for each in PATTERN.findall(words_of_template(template))} == result
