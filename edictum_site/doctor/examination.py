"""Run all of the doctor's checks in order. A check that raises is reported as a problem."""

import logging
from collections.abc import Callable, Iterator
from typing import Final

from django.db import DatabaseError

from edictum_site.doctor import configuration, stores, work
from edictum_site.doctor.results import Result, problem

Check = Callable[[], Iterator[Result]]
CHECKS: Final[tuple[Check, ...]] = (
    configuration.configuration,
    configuration.permissions,
    stores.readiness,
    stores.durable,
    stores.replica,
    stores.clocks,
    stores.disks,
    configuration.secret_key,
    work.audit_chain,
    work.audit_streams,
    stores.lost_and_left,
    work.backlog,
    work.failed_batches,
    work.broker_and_workers,
)
CANNOT: Final = "Fix the problems above, then run it again."


def examine() -> Iterator[Result]:
    for check in CHECKS:
        try:
            yield from _results(check)
        except (DatabaseError, OSError) as error:
            words = (str(error).strip() or repr(error)).splitlines()[0]
            yield problem(check.__name__.replace("_", " "), f"Not checked: {words}", CANNOT)


def _results(check: Callable[[], Iterator[Result]]) -> list[Result]:
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)  # the results contain these already
    try:
        return list(check())
    finally:
        logging.disable(before)
