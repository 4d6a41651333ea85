"""Conversion of a folded call and its verdicts to a call row, and of a row to a session step."""

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from governance.checks.domain import DEFAULT
from governance.core.json_value import Json
from governance.core.masking import masked_text, without_named_secrets
from governance.core.verdict import Verdict
from outcomes.record.arguments import artifact_read
from outcomes.record.call import Call
from outcomes.record.classification import (
    USUAL,
    Classification,
    NotChecked,
    agent_check,
    disagrees,
    effective,
)
from outcomes.record.codec.items import as_text
from outcomes.record.outcome import (
    Outcome,
    ToolArtifactReference,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
    ToolTimeout,
    outcome_blocks_tool,
)
from outcomes.record.session_step import Step

DETAIL = 200  # characters
VALUE = 1_000  # characters of the value that a check read
_VERDICTS: dict[str, Verdict | None] = {"": None, **{verdict.value: verdict for verdict in Verdict}}
_SUCCESS, _FAILURE = Verdict.SUCCESS, Verdict.FAILURE
_canonical = msgspec.json.Encoder(order="deterministic")


class Verdicts(NamedTuple):
    """Columns that classification sets."""

    classified: str = ""
    check_name: str = ""
    check_version: int | None = None
    check_rule: str = ""
    check_value: str = ""
    verdict_reason: str = ""
    labels: str = ""
    cut: bool = False


class CallRow(NamedTuple):
    """One row of calls, its fields in the order of CALL_COLUMNS."""

    id: int
    project: int
    environment: int
    digest: bytes
    call_id: str
    agent: int
    tool: int
    session: int | None
    turn_id: str
    at: datetime
    call_index: int
    order: int
    received_at: datetime
    kind: str
    reason: str
    detail: str
    rule: str
    elapsed_ms: float | None
    reported: str
    classified: str
    verdict: str
    decided_by: str
    disagreement: bool
    check_name: str
    check_version: int | None
    check_rule: str
    check_value: str
    verdict_reason: str
    labels: str
    cut: bool
    would_deny: bool
    conflict: bool
    approval_requested: bool
    idempotent: bool
    blocks_tool: bool
    from_sdk: bool
    arguments: bytes | None
    artifact_name: str
    artifact: int | None
    artifact_read: str
    policy_version: str
    version: int | None
    group: int | None


CALL_COLUMNS = CallRow._fields
STEP_COLUMNS = (
    "kind",
    "verdict",
    "reported",
    "classified",
    "reason",
    "rule",
    "from_sdk",
    "version",
)


class Keys(NamedTuple):
    """Ids of the rows that a call refers to."""

    project: int
    environment: int
    agent: int
    tool: int
    session: int | None
    artifact: int | None
    version: int | None
    digest: bytes  # of the call id


def verdicts_of(classified: Classification | NotChecked | None) -> Verdicts:
    if classified is None:
        return Verdicts()
    if isinstance(classified, NotChecked):
        return Verdicts(verdict_reason=as_text(classified.reason))
    if classified.check is None:
        return Verdicts(classified=_word(classified.verdict))
    return _USUAL if classified is USUAL else _verdicts(classified, classified.check)


def _verdicts(classified: Classification, check: str) -> Verdicts:
    return Verdicts(
        _word(classified.verdict),
        check,
        classified.version,
        classified.rule or "",
        _beginning(classified.value),
        as_text(classified.reason),
        " ".join(classified.labels),
        classified.cut,
    )


def _word(verdict: Verdict | None) -> str:
    """Verdict as plain text, which database drivers expect. Comparing members is faster than
    looking up `.value`."""
    if verdict is _SUCCESS:
        return "success"
    if verdict is _FAILURE:
        return "failure"
    return "" if verdict is None else "unknown"


def _beginning(value: Json) -> str:
    """Beginning of a value of the wrong shape. The event stores all of it."""
    try:
        text = msgspec.json.encode(value)[: VALUE * 4].decode("utf-8", "ignore")
    except RecursionError:
        return ""  # an artifact, nested almost too deeply for its parser
    return as_text(text)[:VALUE]


_USUAL = _verdicts(USUAL, DEFAULT.name)


def call_row(
    call: Call, verdicts: Verdicts, keys: Keys, row_id: int, received: datetime, *, is_bound: bool
) -> CallRow:
    outcome, account = call.outcome, call.account
    kind = "" if outcome is None else outcome.kind
    verdict, decided_by = effective(
        kind,
        _VERDICTS[verdicts.classified],
        call.reported,
        is_bound=is_bound,
        own_check=agent_check(account.metadata) is not None,
    )
    reason, detail, artifact = _outcome_columns(outcome)
    # Lists show the detail without the call's arguments, which are needed to recognise secrets.
    detail = without_named_secrets(detail, call.tool_args, call.principal, call.metadata)
    arguments = account.tool_args
    return CallRow(
        row_id,
        keys.project,
        keys.environment,
        keys.digest,
        account.call_id,
        keys.agent,
        keys.tool,
        keys.session,
        account.turn_id or "",
        call.at,
        account.call_index or 0,
        call.order,
        received,
        kind,
        reason,
        as_text(detail[:DETAIL]),
        account.rule or "",
        None if call.elapsed_ms is None else float(call.elapsed_ms),
        _word(call.reported),
        verdicts.classified,
        _word(verdict),
        decided_by,
        disagrees(call.reported, verdict),
        verdicts.check_name,
        verdicts.check_version,
        verdicts.check_rule,
        verdicts.check_value,
        verdicts.verdict_reason,
        verdicts.labels,
        verdicts.cut,
        call.would_block,
        call.conflict,
        call.approval_requested,
        call.idempotent,
        outcome is not None and outcome_blocks_tool(outcome),
        call.from_sdk,
        None if arguments is None else sha256(_canonical.encode(arguments)).digest()[:16],
        artifact,
        keys.artifact,
        artifact_read(call) or "",
        account.policy_version or "",
        keys.version,
        None,  # set once its group has a row
    )


def verdicts_in(row: CallRow) -> Verdicts:
    return Verdicts(*(getattr(row, name) for name in Verdicts._fields))


def call_row_of(values: Iterable[Any]) -> CallRow:
    """Row from database values. Some drivers return bytes as another type."""
    row = CallRow(*values)
    arguments = None if row.arguments is None else bytes(row.arguments)
    return row._replace(digest=bytes(row.digest), arguments=arguments)


def step_of(row: CallRow, tool: str) -> Step:
    # Field by field: passing the values to `step_from` would be slower.
    return Step(
        kind=row.kind,
        tool=tool,
        verdict=_VERDICTS[row.verdict],
        reported=_VERDICTS[row.reported],
        checked=row.classified != "",
        reason=row.reason,
        rule=row.rule or None,
        from_sdk=row.from_sdk,
        version=row.version,
    )


def step_from(
    tool: str,
    kind: str,
    verdict: str,
    reported: str,
    classified: str,
    reason: str,
    rule: str,
    from_sdk: bool,  # noqa: FBT001 - the columns in their order
    version: int | None,
) -> Step:
    return Step(
        kind=kind,
        tool=tool,
        verdict=_VERDICTS[verdict],
        reported=_VERDICTS[reported],
        checked=classified != "",
        reason=reason,
        rule=rule or None,
        from_sdk=from_sdk,
        version=version,
    )


@lru_cache(maxsize=4_096)
def shown_reason(reason: str) -> str:
    """Masked reason of a denial for lists, charts and URLs. Only the event keeps a secret in it."""
    return masked_text(reason)[0]


def _outcome_columns(outcome: Outcome | None) -> tuple[str, str, str]:
    """Reason, detail and artifact id of an outcome, each empty if it has none."""
    match outcome:
        case None | ToolExecutionResult():
            return "", "", ""
        case ToolTimeout(deadline_s=deadline):
            return "", "" if deadline is None else f"deadline {deadline} s", ""
        case ToolFailure(error=error):
            return "", error, ""
        case ToolDenied(reason=reason, details=details):
            return shown_reason(reason), details, ""
        case ToolArtifactReference(artifact_id=artifact, summary=summary):
            return "", summary, artifact
