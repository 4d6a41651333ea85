"""Fills an empty store with calls in this process, through the product's own code."""

import os
import secrets
from typing import Any

from bench.governing import CONTRACT
from bench.parts import workload
from bench.stores import Store
from bench.workload import bodies

BATCH = 500  # calls per post


class NotFilled(Exception):
    """A post was rejected, or the number of stored calls is wrong."""


def fill(where: Store, calls: int, *, search: bool) -> None:
    """Post, settle and roll up calls; with `search`, also add them to the search index."""
    key = f"edk_production_{secrets.token_hex(20)}"
    os.environ["EDICTUM_SITE_BOOTSTRAP_KEY"] = key
    where.set_up_here()
    from django.test import Client  # noqa: PLC0415 - after Django has been set up

    from edictum_site.first_start import make_first_things  # noqa: PLC0415
    from outcomes.figures.commands.rolling_up import roll_up  # noqa: PLC0415
    from outcomes.settling.settle import settle_inbox  # noqa: PLC0415

    list(make_first_things())
    client = Client(SERVER_NAME="localhost", headers={"authorization": f"Bearer {key}"})
    _post(client, "/v1/contracts", {"yaml": CONTRACT})
    _post(client, "/v1/contracts/bench/deployments", {"version": 1, "env": "production"})
    for body in bodies(workload(calls, batch=BATCH, clients=1), 0):
        _post(client, "/v1/outcomes", body)
        settle_inbox()
    while settle_inbox() or roll_up():
        pass
    ((there,),) = where.rows("SELECT count(*) FROM outcomes_call")
    if there != calls:
        raise NotFilled(f"{there:,} calls are stored, not {calls:,}.")
    if search:
        _index()


def _post(client: Any, path: str, body: object) -> None:
    answer = client.post(path, body, content_type="application/json")
    if answer.status_code not in {201, 202}:
        raise NotFilled(f"{path} answered {answer.status_code}: {answer.content!r}")


def _index() -> None:
    from outcomes.search.commands.indexing import run_index, waiting_indexes  # noqa: PLC0415

    while numbers := waiting_indexes():
        for number in numbers:
            run_index(number)
