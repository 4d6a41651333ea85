"""Changes to the tests of a contract: added, edited, moved, deleted or replaced."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from governance.audit_log import Detail, record
from governance.case_runs.domain import expected_words
from governance.case_runs.queries import cases_of
from governance.cases.domain import MOST_CASES, problems_of
from governance.cases.queries import case_named, case_numbered
from governance.contracts.queries.contracts import locked_bundle
from governance.core.actor import Actor
from governance.core.cases import Case as CaseSpec
from governance.core.errors import Conflict, InvalidInput, NotFound, Problem
from governance.models import Bundle, Case
from governance.people.commands.masking import refuse_secrets
from governance.people.policies import Action, refuse_unless


class NameInUse(Conflict):
    code = "name_taken"

    def __init__(self, name: str) -> None:
        problem = Problem(path="name", message="Another test already has this name.")
        super().__init__(f"Another test is named “{name}”.", errors=[problem])


@transaction.atomic
def add_case(bundle: Bundle, case: CaseSpec, *, by: Actor) -> Case:
    """Add a test after the others."""
    refuse_unless(by, Action.WRITE_CONTRACT)
    _refuse_unfit(case)
    bundle = locked_bundle(bundle)
    _refuse_secrets(bundle, case)
    there = Case.objects.filter(bundle=bundle)
    if there.count() >= MOST_CASES:
        raise InvalidInput(f"A contract has at most {MOST_CASES} tests: delete one first.")
    if case_named(bundle, case.name):
        raise NameInUse(case.name)
    last = there.aggregate(last=Max("position"))["last"] or 0
    row = _new(bundle, case, position=last + 1, by=by)
    row.save()
    _record(by, "test added", row)
    return row


@transaction.atomic
def change_case(case: Case, to: CaseSpec, *, by: Actor) -> Case:
    refuse_unless(by, Action.WRITE_CONTRACT)
    _refuse_unfit(to)
    row = _locked(case)
    _refuse_secrets(row.bundle, to)
    if (there := case_named(row.bundle, to.name)) and there.pk != row.pk:
        raise NameInUse(to.name)
    if row.spec() == to:
        return row
    was = row.name
    row.take(to)
    row.author, row.changed_at = str(by)[:320], timezone.now()
    row.save()
    _record(by, "test changed", row, **({"was": was} if was != row.name else {}))
    return row


@transaction.atomic
def move_case(case: Case, *, by: Actor, up: bool) -> None:
    """Swap with the neighbor; does nothing if there is none."""
    refuse_unless(by, Action.WRITE_CONTRACT)
    row = _locked(case)
    order = cases_of(row.bundle)
    here = next(place for place, each in enumerate(order) if each.pk == row.pk)
    there = here + (-1 if up else 1)
    if not 0 <= there < len(order):
        return
    order[here], order[there] = order[there], order[here]
    for position, each in enumerate(order, start=1):
        if each.position != position:
            Case.objects.filter(pk=each.pk).update(position=position)
    _record(by, "test moved", row, up=up)


@transaction.atomic
def remove_case(case: Case, *, by: Actor) -> None:
    refuse_unless(by, Action.WRITE_CONTRACT)
    row = _locked(case)
    _record(by, "test removed", row)
    row.delete()


@transaction.atomic
def replace_cases(bundle: Bundle, cases: Sequence[CaseSpec], *, by: Actor) -> list[Case]:
    """Replace all tests, in this order; not logged when nothing changes."""
    refuse_unless(by, Action.WRITE_CONTRACT)
    refuse_unfit_cases(cases)
    bundle = locked_bundle(bundle)
    for case in cases:
        _refuse_secrets(bundle, case)
    there = cases_of(bundle)
    if [row.spec() for row in there] == list(cases):
        return there
    Case.objects.filter(bundle=bundle).delete()
    rows = [_new(bundle, case, position=at, by=by) for at, case in enumerate(cases, start=1)]
    Case.objects.bulk_create(rows)
    details: dict[str, Detail] = {"was": len(there), "tests": [row.name for row in rows]}
    record(by, "tests replaced", bundle.name, project=bundle.project, details=details)
    return cases_of(bundle)


def refuse_unfit_cases(cases: Sequence[CaseSpec]) -> None:
    if len(cases) > MOST_CASES:
        raise InvalidInput(f"A contract has at most {MOST_CASES} tests.")
    seen: set[str] = set()
    for place, case in enumerate(cases):
        _refuse_unfit(case, f"cases[{place}].")
        if case.name in seen:
            unfit = f"Another test is named “{case.name}”."
            raise InvalidInput.at(f"cases[{place}].name", unfit)
        seen.add(case.name)


def _new(bundle: Bundle, case: CaseSpec, *, position: int, by: Actor) -> Case:
    row = Case(bundle=bundle, position=position, author=str(by)[:320], changed_at=timezone.now())
    row.take(case)
    return row


def _locked(case: Case) -> Case:
    locked_bundle(case.bundle)
    row = case_numbered(case.bundle, case.pk)
    if row is None:
        raise NotFound("This test was already deleted.")
    return row


def _refuse_unfit(case: CaseSpec, path: str = "") -> None:
    problems = [Problem(path=path + each.path, message=each.message) for each in problems_of(case)]
    if problems:
        raise InvalidInput(str(problems[0]), errors=problems)


def _refuse_secrets(bundle: Bundle, case: CaseSpec) -> None:
    text = json.dumps([asdict(call) for call in case.calls], ensure_ascii=False)
    refuse_secrets(bundle.project_id, text, path="args", by_name=True)


def _record(by: Actor, action: str, row: Case, **more: Detail) -> None:
    details = {"expects": expected_words(row.spec())} | more
    record(by, action, str(row), project=row.bundle.project, details=details)
