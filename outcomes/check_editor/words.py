"""What is said beside the editor of a check: of all results in a sentence, of each in a line."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Final

from governance.checks.language.matcher import Explanation
from governance.core.json_value import Json
from governance.core.masking import Masking, masked
from outcomes.suggestions.domain.trials import Tried
from outcomes.web.sentences import counted, without_marks

LINE: Final = 160  # characters of a result on one line
WHOLE: Final = 1_200
_SEEN: Final = 60


def tried_sentence(tried: Sequence[Tried], read: int) -> str:
    if not tried:
        return ""
    results = counted(len(tried), "result")
    if tried[0].said is None:
        return "It cannot be asked before its problems are mended: this is what judges now."
    changed = [each for each in tried if each.is_changed]
    cut = f" of {read:,} (it takes long: the others were not reached)" if len(tried) < read else ""
    if not changed:
        return f"It changes none of these {results}{cut}."
    to = Counter(each.verdict for each in changed)
    (word, number), *others = to.most_common()
    if not others:
        where = f"all to {word}" if number > 1 else f"to {word}"
    else:
        where = ", ".join(f"{many:,} to {which}" for which, many in to.most_common())
    return f"It changes {len(changed):,} of these {results}{cut}, {where}."


def why(said: Explanation | None, output: Json) -> str:
    """Rule `not-ok`: `result.ok` is false"""
    if said is None:
        return ""
    if said.rule == "otherwise":
        return "no rule fits"
    rule = f"`{said.rule}`"
    if not said.selector:
        return rule
    seen = shown(Masking(output).field(said.selector, said.value)[0], _SEEN)
    return f"{rule}: `{without_marks(said.selector)}` is {without_marks(seen)}"


def reason_of(said: Explanation | None, output: Json) -> str:
    """What the text gives as its reason, which may name any field."""
    if said is None or not said.reason:
        return ""
    named = {said.selector: said.value} if said.selector else {}
    return Masking(output, dict(named)).text(said.reason, is_cut=True)


def shown(value: Json, most: int) -> str:
    text = json.dumps(masked(value)[0], ensure_ascii=False)
    return text if len(text) <= most else text[: most - 1] + "…"


def whole(value: Json) -> str:
    """Indented where it fits, else how it begins."""
    value = masked(value)[0]
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    return text if len(text) <= WHOLE else text[:WHOLE] + "…"


def unread_sentences(unread: dict[str, int]) -> list[str]:
    return [f"{counted(number, 'result')} not shown: {why}" for why, number in unread.items()]
