"""Which group a call row belongs to, and how a group is found and named."""

import json
from typing import Final

from governance.domain.success import DEFAULT
from outcomes.codec.rows import CallRow
from outcomes.codec.text import as_text, digest_of
from outcomes.domain.groups import Grouping, grouping

_SEEN: Final = 600  # characters of a value: more than tell groups apart


def grouping_of(row: CallRow) -> Grouping | None:
    saw, says = _text_in(row.check_value), row.verdict_reason
    return grouping(
        kind=row.kind,
        verdict=row.verdict,
        tool=row.tool,
        agent=row.agent,
        reason=row.reason,
        detail=row.detail,
        rule=row.rule,
        check=row.check_name,
        check_rule=row.check_rule,
        # The built-in check gives no reason but that of its rule.
        said=saw or says if row.check_name == DEFAULT.name else says or saw,
    )


def digest_of_group(group: Grouping) -> bytes:
    return digest_of(json.dumps(group))


def _text_in(value: str) -> str:
    """A text that a check saw, as far as it is kept; of any other value nothing."""
    if not value.startswith('"'):
        return ""
    short = value[1:_SEEN]
    whole = short.endswith('"') and len(value) <= _SEEN
    try:
        told = json.loads(f'"{short[:-1] if whole else short}"')
    except ValueError:  # cut within a character that is written as several
        told = short
    return as_text(str(told))
