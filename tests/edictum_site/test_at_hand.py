"""The connections that the event loop asks itself: every answer is that of its own question."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import DatabaseError

from edictum_site.own_thread import OwnThread
from edictum_site.session_store import looking_alone
from edictum_site.together import Connection
from outcomes.models.statements import Row, Statement, Steps

pytestmark = pytest.mark.django_db
LENGTH = "SELECT CAST(length(CAST(%s AS text)) AS bigint)"


def asking(text: str, *values: Any) -> Steps[list[Row]]:
    return (yield Statement(text, [values]))


def carried_out(*steps: Steps[list[Row]]) -> Iterator[Any]:
    """What each is told, one after the other on one connection; an error is an answer too."""

    async def told(at_hand: Connection) -> list[Any]:
        answers: list[Any] = []
        for each in steps:
            try:
                answers.append(await at_hand.carry_out(each))
            except DatabaseError as error:
                answers.append(error)
        await at_hand.stop()
        return answers

    return iter(asyncio.run(told(looking_alone(OwnThread("asked")))))


def test_a_question_that_was_refused_leaves_nothing_to_those_after_it():
    one, refused, other = carried_out(
        asking(LENGTH, "one"), asking("SELECT missing FROM nowhere"), asking(LENGTH, "other")
    )
    assert (one, other) == ([(3,)], [(5,)])
    assert "nowhere" in str(refused)


def test_a_question_larger_than_the_pipe_is_asked_as_a_whole():
    assert list(carried_out(asking(LENGTH, "x" * 3_000_000))) == [[(3_000_000,)]]


def test_a_question_of_several_statements_is_told_the_rows_of_each():
    def several() -> Steps[list[Row]]:
        (first,) = yield Statement(LENGTH, [["four"]])
        (second,) = yield Statement(LENGTH, [["x" * first[0]]])
        return [first, second]

    assert list(carried_out(several())) == [[(4,), (4,)]]
