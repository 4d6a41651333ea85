"""Calls and events as shown to people and `read` keys, with secrets masked. Pages and the API read
calls here; `read_calls` is for code that needs stored values."""

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
from outcomes.stored.queries import StoredCall, StoredEvent, read_calls

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
        """Value that the deciding rule read; a long one is truncated to text."""
        return self.value_in(self.row.check_value, _check_of(self.row))

    @property
    def verdict_reason(self) -> str:
        text = self.row.verdict_reason
        if text and self.row.check_value and self.sees_secret(_check_of(self.row)):
            return MASK
        return self.masking.text(text, is_cut=True)

    def value_in(self, text: str, check: CheckOf) -> Json:
        if not text:
            return None
        if self.sees_secret(check):
            return MASK
        try:
            return self.masking.value(json.loads(text))
        except ValueError:
            return self.masking.text(text, is_cut=len(text) >= VALUE)


def shown_calls(rows: Sequence[Call]) -> list[ShownCall]:
    sees_secret = _secret_rules()
    return [shown(call, sees_secret) for call in read_calls(rows)]


def shown_folds(rows: Sequence[Call]) -> Iterator[tuple[Call, Folded]]:
    """Masked calls without their events, for lists of many calls."""
    for call in read_calls(rows):
        yield call.row, shown_call(call.folded, masking_of(call.folded))


def shown(call: StoredCall, sees_secret: Callable[[CheckOf], bool] | None = None) -> ShownCall:
    masking = masking_of(call.folded)
    return ShownCall(
        call.row,
        shown_call(call.folded, masking),
        [replace(stored, event=shown_event(stored.event, masking)) for stored in call.events],
        masking,
        sees_secret or _secret_rules(),
    )


def shown_events(events: Iterable[StoredEvent]) -> Iterator[StoredEvent]:
    """Masked events of a list that is read without their calls."""
    for stored in events:
        yield replace(stored, event=shown_event(stored.event, masking_of_event(stored.event)))


def _check_of(row: Call) -> CheckOf:
    return row.project_id, row.check_name, row.check_version, row.check_rule


def _secret_rules() -> Callable[[CheckOf], bool]:
    """Function that returns whether a rule reads a field with a secret's name, cached per rule."""
    known: dict[CheckOf, bool] = {}

    def sees_secret(check: CheckOf) -> bool:
        if check not in known:
            known[check] = _reads_secret(*check)
        return known[check]

    return sees_secret


def _reads_secret(project: int, name: str, version: int | None, rule: str) -> bool:
    compiled = compiled_of(project, name, version) if name and rule else None
    return compiled is not None and reads_secret(compiled, rule)
