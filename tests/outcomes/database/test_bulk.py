"""Bulk statements have the same effect as one statement for each row."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.db import connection, models
from hypothesis import given
from hypothesis import strategies as st

from outcomes.database import bulk
from outcomes.models import Agent, ArtifactMaker, ArtifactUse, Call, Event, Posting, Session
from outcomes.record.codec import CALL_COLUMNS
from tests import builders
from tests.examples import with_a_database

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
POSTING = ("token", "at", "call")
EVENT = ("id", "project", "environment", "call_digest", "digest", "agent", "source",
         "received_at", "item")  # fmt: skip

# We encode the arrays for PostgreSQL ourselves, so every column type is tested.
VALUES = {
    models.BigIntegerField: st.integers(-(2**63), 2**63 - 1),
    models.ForeignKey: st.integers(1, 2**63 - 1),
    models.PositiveIntegerField: st.integers(0, 2**31 - 1),
    models.BooleanField: st.booleans(),
    models.FloatField: st.floats(allow_nan=False),
    models.CharField: st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=7),
    models.TextField: st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    models.BinaryField: st.binary(),
    models.DateTimeField: st.datetimes(
        min_value=datetime(1, 1, 2),  # noqa: DTZ001 - without a zone, as hypothesis wants it
        max_value=datetime(9999, 12, 30),  # noqa: DTZ001
        timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=45))]),
    ),
}


def values_of(name):
    field = Call._meta.get_field(name)
    values = VALUES[type(field)]
    return st.none() | values if field.null else values


CALLS = st.lists(
    st.tuples(*map(values_of, CALL_COLUMNS)).map(
        lambda row: dict(zip(CALL_COLUMNS, row, strict=True))
    ),
    min_size=1,
    max_size=5,
    unique_by=(lambda row: row["id"], lambda row: (row["environment"], row["digest"])),
)


def an_event_row(number, digest=b"", **changed):
    row = dict.fromkeys(EVENT, 1) | {
        "id": number,
        "call_digest": b"call",
        "digest": digest or b"\0\xff%d" % number,
        "source": "events",
        "received_at": NOON,
        "item": b"\x01\0\xff",
    }
    return tuple((row | changed).values())


def test_only_new_rows_are_inserted_and_returned(db):
    assert bulk.insert_new(Event, EVENT, [an_event_row(1), an_event_row(2)]) == {1, 2}
    again = [an_event_row(3), an_event_row(4, b"\0\xff1"), an_event_row(5, b"x")]
    assert bulk.insert_new(Event, EVENT, again) == {3, 5}
    assert set(Event.objects.values_list("id", flat=True)) == {1, 2, 3, 5}


def test_the_first_of_two_duplicate_rows_in_one_statement_is_inserted(db):
    rows = [an_event_row(7, b"same"), an_event_row(8, b"same")]
    assert bulk.insert_new(Event, EVENT, rows) == {7}


def test_bytes_and_timestamps_round_trip_unchanged(db):
    at = datetime(2026, 11, 18, 23, 59, 59, 999_999, tzinfo=UTC)
    bulk.insert_new(Event, EVENT, [an_event_row(1, received_at=at)])
    row = Event.objects.get()
    assert (row.received_at, bytes(row.item), bytes(row.digest)) == (at, b"\x01\0\xff", b"\0\xff1")
    assert Event.objects.filter(received_at=at).exists()
    assert not Event.objects.filter(received_at__lt=at).exists()


@with_a_database(60)
@given(CALLS, st.sets(st.sampled_from(CALL_COLUMNS[4:])))
def test_call_rows_round_trip_unchanged(db, rows, group_key):
    for row in rows:  # some columns have the same value in all rows
        row.update({name: rows[0][name] for name in group_key}, classified="")
    bulk.insert_new(Call, CALL_COLUMNS, [tuple(row.values()) for row in rows])
    counted = {row["id"]: row for row in Call.objects.values(*CALL_COLUMNS)}
    Call.objects.all().delete()
    for row in rows:
        row_after = counted.pop(row["id"])
        for name in ("digest", "arguments"):
            row_after[name] = None if row_after[name] is None else bytes(row_after[name])
        assert row_after == row
    assert not counted


def test_as_many_rows_as_one_claim_holds_round_trip_unchanged(db):
    rows = [
        an_event_row(number, agent=number % 7, received_at=NOON + timedelta(seconds=number // 3))
        for number in range(1, 1_238)
    ]
    assert bulk.insert_new(Event, EVENT, rows) == set(range(1, 1_238))
    result = Event.objects.order_by("id").values_list("id", "agent", "received_at")
    assert list(result) == [(row[0], row[5], row[7]) for row in rows]


def test_a_callback_during_an_insert_does_not_disturb_the_statement_or_connection(db):
    """SQLite runs in this process, so nothing can happen during its statements."""
    done: list[int] = []

    def some() -> bool:
        done.append(len(done))
        return len(done) < 3

    rows = [an_event_row(number) for number in range(1, 6)]
    assert bulk.insert_new(Event, EVENT, rows[:2], some) == {1, 2}
    if connection.vendor == "postgresql":
        assert done
        with pytest.raises(ZeroDivisionError):
            bulk.insert_new(Event, EVENT, rows[2:4], lambda: bool(1 / 0))
    assert bulk.insert_new(Event, EVENT, rows[4:]) == {5}
    assert Event.objects.filter(pk__in=[1, 2, 5]).count() == 3


def test_ids_far_apart_are_detected_as_present(db):
    numbers = [1, 2, 900, 5_000, 10**12, 10**12 + 1, 2**62]
    bulk.insert_new(Event, EVENT, [an_event_row(number) for number in numbers])
    assert bulk.ids_present(Event, [*numbers, 3, 10**15]) == set(numbers)


def test_counters_start_at_zero_and_are_incremented(db):
    environment = builders.an_environment(builders.a_project())
    project_url = {"project_id": environment.project_id}
    use = ArtifactUse.objects.create(environment=environment, digest=b"a", name="a", **project_url)
    one, other = (
        Agent.objects.create(digest=name.encode(), name=name, **project_url).pk for name in "ab"
    )
    bulk.add(ArtifactMaker, ("use", "agent"), ("calls",), [(use.pk, one, 3)])
    bulk.add(ArtifactMaker, ("use", "agent"), ("calls",), [(use.pk, one, -1), (use.pk, other, 5)])
    rows = ArtifactMaker.objects.order_by("agent").values_list("agent", "calls")
    assert list(rows) == [(one, 2), (other, 5)]


def test_only_the_listed_rows_are_updated(db):
    project = builders.a_project()
    environment = builders.an_environment(project)
    ids = [
        Session.objects.create(
            project=project, environment=environment, digest=b"%d" % n, session_id=f"s-{n}"
        ).pk
        for n in range(3)
    ]
    columns = ("id", "attempts", "stopped", "first_at", "version")
    bulk.update(Session, columns, [(ids[0], 7, "right", NOON, None), (ids[2], 9, "", None, None)])
    rows = Session.objects.order_by("id").values_list("attempts", "stopped", "first_at")
    assert list(rows) == [(7, "right", NOON), (0, "", None), (9, "", None)]
    assert not Session.objects.exclude(version=None).exists()


def test_empty_writes_run_no_queries(db, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert bulk.insert_new(Event, EVENT, []) == set()
        bulk.add(ArtifactMaker, ("use", "agent"), ("calls",), [])
        bulk.update(Session, ("id", "attempts"), [])


def test_only_rows_with_the_given_keys_are_removed(db):
    rows = [(token, at, call) for token in (1, -(2**60)) for at in (5, 6) for call in (7, 8)]
    bulk.insert_missing(Posting, POSTING, rows)
    bulk.remove(Posting, POSTING, sorted([rows[0], rows[5], (9, 9, 9)]))
    left = Posting.objects.order_by("token", "at", "call").values_list(*POSTING)
    assert list(left) == sorted({*rows} - {rows[0], rows[5]})
    bulk.remove(Posting, POSTING, [])
    assert Posting.objects.count() == 6


def test_rows_of_a_query_match_those_django_reads(db):
    bulk.insert_new(Event, EVENT, [an_event_row(1), an_event_row(2, received_at=NOON + HOUR)])
    query = Event.objects.filter(received_at__gte=NOON).order_by("id")
    for columns in (("id", "source", "received_at", "set_apart"), ("digest",)):
        read = [[_plain(value) for value in row] for row in query.values_list(*columns)]
        assert [
            [_plain(value) for value in row] for row in bulk.rows_of(query.values_list(*columns))
        ] == read
    assert bulk.rows_of(query.filter(id__in=[]).values_list("id")) == []


def _plain(value):
    return bytes(value) if isinstance(value, memoryview) else value
