"""What the pages of success checks say of them in a sentence."""

from collections.abc import Sequence

from governance.checks.authoring.outline import OutlinedCheck
from governance.checks.domain.bindings import Binding
from governance.checks.queries.checks import Origin
from governance.contracts.words import number_word

_OTHERWISE = {
    "success": "success where no rule fits",
    "failure": "failure where no rule fits",
    "unknown": "unknown where no rule fits",
    "default": "the built-in check where no rule fits",
}


def line_words(line: Binding) -> str:
    """`http_*` of `billing-*` in `production`; what fits everything is left out."""
    tool = "every tool" if line.tool == "*" else _code(line.tool)
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
    what = f"`{name}` v{number}" if origin is Origin.OWN else f"`{name}`"
    if origin is Origin.BUILT_IN:
        return f"{what} judges every call that no binding names."
    comes = "" if origin is Origin.OWN else " comes with the console and"
    if len(lines) == 1:
        return f"{what}{comes} judges {line_words(lines[0])}."
    if lines:
        return f"{what}{comes} judges what {number_word(len(lines)).lower()} bindings name."
    if includers:
        them = f"`{includers[0]}`" if len(includers) == 1 else f"{len(includers)} checks"
        include = "includes" if len(includers) == 1 else "include"
        return f"{what}{comes} is bound nowhere; {them} {include} it."
    return f"{what}{comes} is bound nowhere, so it judges nothing yet."


def checks_sentence(own: int, lines: int, *, more: bool = False) -> str:
    """Two checks of this project; three bindings say what they and others judge."""
    number = f"More than {own:,}" if more else number_word(own)
    checks = f"{number} check{'' if own == 1 else 's'} of this project"
    if not own and not lines:
        return "No check is bound: an agent's own check decides, else the built-in one."
    if not lines:
        unbound = "it is not bound" if own == 1 else "none of them is bound"
        return f"{checks}, and {unbound}: agents' own checks decide, else the built-in one."
    say = "binding says" if lines == 1 else "bindings say"
    whose = checks if own else "No check of this project"
    return f"{whose}; {number_word(lines).lower()} {say} what judges which calls."


def bindings_sentence(lines: Sequence[Binding]) -> str:
    if not lines:
        return "No check is bound: an agent's own check decides, else the built-in one."
    checks = len({line.check for line in lines})
    named = "one check" if checks == 1 else f"{number_word(checks).lower()} checks"
    count = number_word(len(lines))
    return (
        f"{count} line{'' if len(lines) == 1 else 's'} "
        f"{'sends' if len(lines) == 1 else 'send'} calls to {named}; the first that fits counts."
    )


def rules_fact(outline: OutlinedCheck, included: int) -> str:
    own = len(outline.rules)
    others = f"{included} other check{'' if included == 1 else 's'}"
    return f"{own} of its own, after those of {others}" if included else f"{own}"


def otherwise_fact(outline: OutlinedCheck) -> str:
    return _OTHERWISE.get(outline.otherwise, outline.otherwise)


def _code(glob: str) -> str:
    return "`" + glob.replace("`", "'") + "`"
