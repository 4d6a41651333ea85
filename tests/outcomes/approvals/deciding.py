"""Pending approvals as a member sees them, and a decision as the page posts it."""

import re

from governance.models import Approval
from tests.outcomes.pages import Pages


def articles(pages: Pages, path: str = "approvals/", **query: str) -> list[str]:
    """Codes of the pending approvals, in page order."""
    body = pages.get(path, **query).content.decode()
    return re.findall(r'id="asks-(\w+)"', body)


def decide(pages: Pages, approval: Approval, decision: str, **fields: str):
    path = f"{pages.base}/approvals/{approval.code}/decide/"
    return pages.client.post(path, {"decision": decision, **fields}, follow=True)
