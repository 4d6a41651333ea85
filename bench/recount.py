"""What is stored, counted again: by call, by event, by rollup and by session.

Nothing of the product's own reading is used here, only its tables.
"""

# ruff: noqa: S608 - the queries are made of this file's own names

from collections import Counter

from bench.stores import Store
from bench.workload import TAG, Workload, expected

_DENIED = "CASE WHEN kind = 'denied' THEN 1 ELSE 0 END"
_RAN = "kind NOT IN ('', 'denied')"
_SESSION_COUNTS = f"""count(*),
    sum(CASE WHEN {_RAN} THEN 1 ELSE 0 END),
    sum(CASE WHEN {_RAN} AND verdict = 'success' THEN 1 ELSE 0 END),
    sum(CASE WHEN {_RAN} AND verdict = 'failure' THEN 1 ELSE 0 END),
    sum(CASE WHEN {_RAN} AND verdict NOT IN ('success', 'failure') THEN 1 ELSE 0 END),
    sum({_DENIED}),
    sum(CASE WHEN kind = '' THEN 1 ELSE 0 END),
    sum(CASE WHEN disagreement THEN 1 ELSE 0 END)"""
_KEPT_COUNTS = "attempts, executions, successes, failures, unknown, denied, open, disagreements"


def faults_in(store: Store, load: Workload, posted: list[int]) -> list[str]:
    """What is stored otherwise than it was acknowledged; nothing of it may be wrong."""
    want = expected(load, posted)
    tag = load.tag
    stored = store.rows(
        "SELECT c.call_id, c.kind, s.session_id FROM outcomes_call c"
        " LEFT JOIN outcomes_session s ON s.id = c.session_id"
        f" WHERE substr(c.call_id, 1, {TAG}) = %s",
        tag,
    )
    faults = []
    kinds = {call: kind for call, kind, _ in stored}
    if kinds != want.kinds:
        missing, foreign = len(want.kinds.keys() - kinds), len(kinds.keys() - want.kinds)
        faults.append(
            f"calls: {len(kinds)} stored for {len(want.kinds)} acknowledged,"
            f" {missing} missing, {foreign} unknown"
        )
    if len(stored) != len(kinds):
        faults.append(f"calls: {len(stored) - len(kinds)} stored twice")
    if Counter(session for _, _, session in stored) != want.sessions:
        faults.append("sessions: calls stand in other sessions than they were posted for")
    agents = f"SELECT id FROM outcomes_agent WHERE substr(name, 1, {TAG}) = %s"
    ((events,),) = store.rows(
        f"SELECT count(*) FROM outcomes_event WHERE agent_id IN ({agents})",
        tag,
    )
    if events != len(want.kinds):
        faults.append(f"events: {events} stored for {len(want.kinds)} acknowledged")
    for by in ("tool", "agent"):
        ((counted,),) = store.rows(
            f"SELECT coalesce(sum(calls), 0) FROM outcomes_{by}minute WHERE {by}_id IN"
            f" (SELECT id FROM outcomes_{by} WHERE substr(name, 1, {TAG}) = %s)",
            tag,
        )
        if counted != len(want.kinds):
            faults.append(f"rollups by {by}: {counted} counted for {len(want.kinds)} acknowledged")
    faults += _differing("rollups by tool", store, *_rollups(store, "tool"), tag)
    faults += _differing("rollups by agent", store, *_rollups(store, "agent"), tag)
    faults += _differing("counts of sessions", store, *_sessions(), tag)
    ((ungoverned,),) = store.rows(
        "SELECT count(*) FROM outcomes_call"
        f" WHERE version_id IS NULL AND substr(call_id, 1, {TAG}) = %s",
        tag,
    )
    if ungoverned:
        faults.append(f"calls: {ungoverned} without the contract that governed them")
    ((left,),) = store.rows("SELECT count(*) FROM outcomes_batch")
    if left:
        faults.append(f"inbox: {left} batches left")
    return faults


def _rollups(store: Store, by: str) -> tuple[str, str]:
    names = f"SELECT id FROM outcomes_{by} WHERE substr(name, 1, {TAG}) = %s"
    calls = f"""SELECT environment_id, {by}_id, {_minute(store, "at")}, kind, verdict,
        substr(reason, 1, 64), count(*), sum(CASE WHEN disagreement THEN 1 ELSE 0 END)
        FROM outcomes_call WHERE {by}_id IN ({names}) GROUP BY 1, 2, 3, 4, 5, 6"""
    rollups = f"""SELECT environment_id, {by}_id, {_minute(store, "minute")}, kind, verdict,
        reason, calls, disagreements
        FROM outcomes_{by}minute WHERE {by}_id IN ({names}) AND calls <> 0"""
    return calls, rollups


def _sessions() -> tuple[str, str]:
    tagged = f"SELECT id FROM outcomes_session WHERE substr(session_id, 1, {TAG}) = %s"
    calls = f"""SELECT session_id, {_SESSION_COUNTS}
        FROM outcomes_call WHERE session_id IN ({tagged}) GROUP BY session_id"""
    sessions = f"SELECT id, {_KEPT_COUNTS} FROM outcomes_session WHERE id IN ({tagged})"
    return calls, sessions


def _differing(what: str, store: Store, counted: str, kept: str, tag: str) -> list[str]:
    """Empty when both queries answer the same rows."""
    faults = []
    for one, other, how in ((counted, kept, "missing or wrong"), (kept, counted, "too many")):
        rest = f"SELECT * FROM ({one}) AS one EXCEPT SELECT * FROM ({other}) AS other"
        query = f"SELECT count(*) FROM ({rest}) AS rest"
        ((rows,),) = store.rows(query, tag, tag)
        if rows:
            faults.append(f"{what}: {rows} {how}")
    return faults


def _minute(store: Store, column: str) -> str:
    return f"date_trunc('minute', {column})" if store.url else f"substr({column}, 1, 16)"
