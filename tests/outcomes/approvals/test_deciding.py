"""Deciding on the approvals page: title, earlier approvals, undo, bulk decisions."""

import re

import pytest

from governance.approvals import commands as approvals_commands
from governance.core.actor import CONSOLE
from governance.models import Approval, User
from tests import builders
from tests.governance.approvals.builders import an_approval, moved
from tests.outcomes.approvals.deciding import articles, decide
from tests.outcomes.pages import Pages, an_item, text_of


@pytest.fixture
def operator(operators_pages: Pages) -> Pages:
    return operators_pages


REFUND = {"account": "A-2091", "amount": 1240.0, "currency": "EUR"}
MESSAGE = "Refund 1,240.00 EUR to A-2091"


def approved(project, days=7, **args):
    approval = an_approval(project, message="m", tool_args=REFUND | args, session_id="s-9")
    approvals_commands.decide(approval, approve=True, by=CONSOLE)
    approval.refresh_from_db()
    return moved(approval, days=days)


def test_the_title_is_the_contract_message_with_argument_values_as_code(project, pages):
    an_approval(project, message=MESSAGE, tool_args=REFUND)
    an_approval(project, message="", tool_args={"n": 1})
    body = pages.get("approvals/").content.decode()
    assert "Refund 1,240.00 EUR to <code>A-2091</code>" in body
    assert "Call <code>payments_charge</code>" in body


def test_messages_and_arguments_are_escaped(project, pages):
    args = {"account": "<i>x</i>", "code": "code"}
    an_approval(project, message="Pay <i>x</i> by code", tool_args=args)
    body = pages.get("approvals/").content.decode()
    assert "<i>" not in body
    assert "Pay <code>&lt;i&gt;x&lt;/i&gt;</code> by <code>code</code>" in body


def test_an_earlier_approval_of_the_same_account_and_amount_is_a_warning(project, operator):
    approved(project, days=7)
    approved(project, days=20, amount=80.0)
    approved(project, days=2, account="A-1")
    approved(project, days=95)
    approval = an_approval(project, message=MESSAGE, tool_args=REFUND)
    text = operator.text("approvals/")
    assert "Same amount approved 7 d ago." in text
    assert re.search(r"2 earlier approvals for A-2091 ?: 1,240.00 EUR on .*, 80.00 EUR on ", text)
    body = operator.get("approvals/").content.decode()
    (box,) = re.findall(rf'<input class="pick-one"[^>]*value="{approval.code}"[^>]*>', body)
    assert "data-warned" in box  # so that "Select all" leaves it out
    assert 'data-amount="1240.0" data-currency="EUR"' in box


def test_a_single_earlier_approval_names_who_decided_it(project, operator):
    earlier = approved(project, days=7)
    label = User.objects.get().email
    User.objects.update(name="Ana Ruiz")
    Approval.objects.filter(pk=earlier.pk).update(decided_by=label)
    an_approval(project, message=MESSAGE, tool_args=REFUND)
    assert re.search(r"Approved for A-2091 before: .* by Ana Ruiz", operator.text("approvals/"))
    assert f'<span title="{label}">Ana Ruiz</span>.' in operator.get("approvals/").text


def test_without_an_earlier_approval_the_page_says_so(project, operator):
    approved(project, account="A-1")
    an_approval(project, message=MESSAGE, tool_args=REFUND)
    assert "No earlier approval of payments_charge for A-2091 in 90 days." in operator.text(
        "approvals/"
    )
    assert "data-warned" not in operator.get("approvals/").content.decode()


def test_a_request_summarizes_its_session_so_far(project, agent, pages):
    agent.post(an_item("s-1"), an_item("s-1", output={"is_error": True}))
    approval = approved(project, days=0)
    Approval.objects.filter(pk=approval.pk).update(session_id="s-1")
    an_approval(project, message=MESSAGE, tool_args=REFUND)
    text = pages.text("approvals/")
    assert re.search(r"So far: 2 calls in .*, 1 succeeded, 1 failed\.", text)
    assert "1 payments_charge approved, 1,240.00 EUR." in text


def test_a_decision_can_be_undone_and_made_again(project, operator):
    approval = an_approval(project, message=MESSAGE, tool_args=REFUND)
    text = text_of(decide(operator, approval, "approve"))
    assert "Approved: Refund 1,240.00 EUR to A-2091." in text
    undo = f"{operator.base}/approvals/{approval.code}/undo/"
    text = text_of(operator.client.post(undo, follow=True))
    assert "Undone: Refund 1,240.00 EUR to A-2091 is pending again." in text
    assert articles(operator) == [approval.code]
    decide(operator, approval, "reject")
    approval.refresh_from_db()
    moved(approval, seconds=6)
    assert "can't be undone" in text_of(operator.client.post(undo, follow=True))
    assert articles(operator) == []


def test_the_confirmation_names_amount_and_account_if_the_message_does_not(project, operator):
    approval = an_approval(project, message="Large refund", tool_args=REFUND | {"iban": "DE1"})
    text = text_of(decide(operator, approval, "reject"))
    assert "Rejected: Large refund · account A-2091, amount 1240.0, currency EUR." in text


def test_approvals_selected_together_are_decided_individually(project, operator, pages):
    one, two, other = (an_approval(project) for _ in range(3))
    approvals_commands.decide(two, approve=False, by=CONSOLE)
    body = {"code": [one.code, two.code], "decision": "approve"}
    text = text_of(operator.client.post(f"{operator.base}/approvals/decide/", body, follow=True))
    assert "Approved 1 of 2." in text
    assert "console already rejected this" in text
    assert articles(operator) == [other.code]
    assert pages.client.post(f"{pages.base}/approvals/decide/", body).status_code == 403
    text = text_of(operator.client.post(f"{operator.base}/approvals/decide/", {}, follow=True))
    assert "Select approvals, then choose Approve or Reject." in text


def test_an_approval_of_another_project_cannot_be_decided_in_bulk(project, operator):
    other = an_approval(builders.a_project())
    body = {"code": [other.code], "decision": "approve"}
    assert operator.client.post(f"{operator.base}/approvals/decide/", body).status_code == 404
    assert Approval.objects.get(pk=other.pk).status == "pending"


def test_the_headline_has_at_most_90_characters(project, pages):
    an_approval(project, message="Refund " + "a very long reason " * 6)
    assert re.search(r"1 approval pending, the first expires in \d", pages.text("approvals/"))
