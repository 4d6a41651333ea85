"""Calls and events as people and `read` keys see them, their secrets masked. Pages and the API
read calls here; `whole_calls` is for what works on stored values."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from governance.checks.language.secret_fields import reads_secret
from governance.checks.queries.checks import compiled_of
from governance.core.json_value import Json
from governance.core.masking import MASK, Masking
from outcomes.masking.domain.shown_call import masking_of, masking_of_event, shown_call, shown_event
from outcomes.models import Call
from outcomes.record.call import Call as Folded
from outcomes.record.codec.rows import VALUE
from outcomes.record.stored import StoredEvent, WholeCall, whole_calls

CheckOf = tuple[int, str, int | None, str]  # project, check, version and rule


@dataclass(frozen=True, slots=True)
class ShownCall:
    row: Call
    folded: Folded
    events: list[StoredEvent]
    masking: Masking
    sees_secret: Callable[[CheckOf], bool]

    @property
    def value(self) -> Json:
        """What the rule that decided saw; a long one was cut and is text."""
        return self.value_in(self.row.check_value, _check_of(self.row))

    @property
    def verdict_reason(self) -> str:
        text = self.row.verdict_reason
        if text and self.row.check_value and self.sees_secret(_check_of(self.row)):
            return MASK
        return self.masking.text(text, is_cut=True)

    def value_in(self, kept: str, check: CheckOf) -> Json:
        if not kept:
            return None
        if self.sees_secret(check):
            return MASK
        try:
            return self.masking.value(json.loads(kept))
        except ValueError:
            return self.masking.text(kept, is_cut=len(kept) >= VALUE)


def shown_calls(rows: Sequence[Call]) -> list[ShownCall]:
    sees_secret = _secret_rules()
    return [shown(whole, sees_secret) for whole in whole_calls(rows)]


def shown(whole: WholeCall, sees_secret: Callable[[CheckOf], bool] | None = None) -> ShownCall:
    masking = masking_of(whole.folded)
    return ShownCall(
        whole.row,
        shown_call(whole.folded, masking),
        [replace(each, event=shown_event(each.event, masking)) for each in whole.events],
        masking,
        sees_secret or _secret_rules(),
    )


def shown_events(events: Iterable[StoredEvent]) -> Iterator[StoredEvent]:
    """Of a list that is read without the calls they are about."""
    for each in events:
        yield replace(each, event=shown_event(each.event, masking_of_event(each.event)))


def _check_of(row: Call) -> CheckOf:
    return row.project_id, row.check_name, row.check_version, row.check_rule


def _secret_rules() -> Callable[[CheckOf], bool]:
    """Whether a rule looks at a field that has a secret's name, each looked up once."""
    known: dict[CheckOf, bool] = {}

    def sees_secret(check: CheckOf) -> bool:
        if check not in known:
            known[check] = _reads_secret(*check)
        return known[check]

    return sees_secret


def _reads_secret(project: int, name: str, version: int | None, rule: str) -> bool:
    compiled = compiled_of(project, name, version) if name and rule else None
    return compiled is not None and reads_secret(compiled, rule)
