"""Texts next to the check editor: the draft's impact on recorded outputs, and each output."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Final

from governance.checks.language.matcher import Explanation
from governance.core.figures import counted, without_marks
from governance.core.json_value import Json
from governance.core.masking import Masking, masked
from outcomes.suggestions.domain.trials import Tried

LINE: Final = 160  # characters of a result on one line
LONGEST_OUTPUT: Final = 1_200
_SEEN: Final = 60


def impact_words(tried: Sequence[Tried], read: int) -> str:
    """Phrase such as `changes 12 of the 200 newest outputs, all to unknown`; empty while the draft
    has errors."""
    if not tried or tried[0].explanation is None:
        return ""
    changed = [each for each in tried if each.is_changed]
    outputs = f"{len(tried):,} newest outputs" if len(tried) > 1 else "newest output"
    cut = f" ({read - len(tried):,} more took too long)" if len(tried) < read else ""
    if not changed:
        return f"changes {'none of ' if len(tried) > 1 else 'nothing in '}the {outputs}{cut}"
    to = Counter(each.verdict for each in changed).most_common()
    if len(to) > 1:
        where = ", ".join(f"{number:,} to {verdict}" for verdict, number in to)
    else:
        where = f"{'all ' if len(changed) > 1 else ''}to {to[0][0]}"
    number = f"{len(changed):,} of the " if len(tried) > 1 else "the "
    return f"changes {number}{outputs}{cut}, {where}"


def tried_sentence(tried: Sequence[Tried], read: int) -> str:
    if not tried:
        return ""
    words = impact_words(tried, read)
    if not words:
        return "Fix the errors to check these outputs. Current verdicts are shown."
    return f"{words[0].upper()}{words[1:]}."


def why(explanation: Explanation | None, output: Json) -> str:
    """Rule that decided, and the value it read, such as `not-ok`: `result.ok` is false."""
    if explanation is None:
        return ""
    if explanation.rule == "otherwise":
        return "no rule matched"
    rule = f"`{explanation.rule}`"
    if not explanation.selector:
        return rule
    seen = shown(Masking(output).field(explanation.selector, explanation.value)[0], _SEEN)
    return f"{rule}: `{without_marks(explanation.selector)}` is {without_marks(seen)}"


def reason_of(explanation: Explanation | None, output: Json) -> str:
    """The rule's reason, with secrets masked."""
    if explanation is None or not explanation.reason:
        return ""
    named = {explanation.selector: explanation.value} if explanation.selector else {}
    return Masking(output, dict(named)).text(explanation.reason, is_cut=True)


def shown(value: Json, most: int) -> str:
    text = json.dumps(masked(value)[0], ensure_ascii=False)
    return text if len(text) <= most else text[: most - 1] + "…"


def indented(value: Json) -> str:
    """Masked value as indented JSON, truncated if long."""
    value = masked(value)[0]
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    return text if len(text) <= LONGEST_OUTPUT else text[:LONGEST_OUTPUT] + "…"


def unread_sentences(unread: dict[str, int]) -> list[str]:
    return [f"{counted(number, 'output')} not shown: {why}" for why, number in unread.items()]
