"""Sentences on the pages of success checks."""

from collections.abc import Sequence
from typing import Final

from governance.checks.authoring.outline import OutlinedCheck
from governance.checks.domain import LAST, Binding
from governance.checks.queries.checks import Origin

LONGEST: Final = 32  # characters of a name or glob in a headline
_OTHERWISE: Final = {
    "success": "success",
    "failure": "failure",
    "unknown": "unknown",
    "default": "the default check decides",
}
_NO_BINDINGS: Final = "No bindings: agents' own checks decide, else the default check"


def line_words(line: Binding) -> str:
    """Calls that a binding matches, such as "`http_*` of `billing-*` in `production`". Stars are
    omitted."""
    tool = "all tools" if line.tool == "*" else _code(line.tool)
    agent = "" if line.agent == "*" else f" of {_code(line.agent)}"
    place = "" if line.environment == "*" else f" in {_code(line.environment)}"
    return f"{tool}{agent}{place}"


def check_sentence(
    name: str,
    number: int,
    *,
    origin: Origin,
    lines: Sequence[Binding],
    includers: Sequence[str],
) -> str:
    code = _code(_cut(name))
    what = f"{code} v{number}" if origin is Origin.OWN else f"Built-in check {code}"
    if origin is Origin.BUILT_IN:
        return f"The {code} check decides where no binding applies"
    if len(lines) == 1:
        line = lines[0]
        cut = Binding(_cut(line.environment), _cut(line.agent), _cut(line.tool), line.check)
        words = f"{what} checks {line_words(cut)}"
        return words if len(words) <= 90 else f"{what} has 1 binding"
    if lines:
        return f"{what} has {len(lines)} bindings"
    if includers:
        them = _code(_cut(includers[0])) if len(includers) == 1 else f"{len(includers)} checks"
        include = "includes" if len(includers) == 1 else "include"
        return f"{what} isn't bound, but {them} {include} it"
    return f"{what} isn't bound to any tool yet"


def checks_sentence(own: int, lines: int, *, more: bool = False) -> str:
    """Headline such as "2 checks of your own, 3 bindings"."""
    number = f"More than {own:,}" if more else f"{own:,}"
    checks = f"{number} check{'' if own == 1 else 's'} of your own"
    if not lines:
        return f"{checks}, none bound" if own else _NO_BINDINGS
    return f"{checks if own else 'Built-in checks only'}, {_counted(lines, 'binding')}"


def bindings_sentence(lines: Sequence[Binding], *, is_saved: bool = True) -> str:
    """Headline such as "3 bindings for 2 checks, not saved yet"."""
    filled = [line for line in lines if line.tool and line.check]
    state = "" if is_saved else ", not saved yet"
    if not filled:
        return _NO_BINDINGS if is_saved else f"No bindings{state}"
    checks = len({line.check for line in filled})
    return f"{_counted(len(filled), 'binding')} for {_counted(checks, 'check')}{state}"


def applying_words(lines: Sequence[Binding], fitting: Sequence[int]) -> str:
    """Answer such as "`unified` applies, by row 2. Row 5 matches too, but comes later"."""
    if not fitting:
        return f"No row matches, so `{LAST}` applies."
    first, *others = fitting
    check = lines[first].check
    applies = f"{_code(check)} applies" if check else "No check chosen yet"
    later = ""
    if others:
        rows = ", ".join(str(place + 1) for place in others[:5])
        match = "matches too, but comes" if len(others) == 1 else "match too, but come"
        later = f" Row{'' if len(others) == 1 else 's'} {rows} {match} later."
    return f"{applies}, by row {first + 1}.{later}"


def rules_fact(outline: OutlinedCheck, included: int) -> str:
    own = len(outline.rules)
    return f"{own}, after those of {_counted(included, 'included check')}" if included else f"{own}"


def otherwise_fact(outline: OutlinedCheck) -> str:
    return _OTHERWISE.get(outline.otherwise, outline.otherwise)


def _counted(number: int, one: str) -> str:
    return f"{number:,} {one}{'' if number == 1 else 's'}"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _code(glob: str) -> str:
    return "`" + glob.replace("`", "'") + "`"
