"""Concurrent writers, each on its own connection: one chain without gaps."""

import threading

import pytest
from django.db import connection, transaction

from governance.audit_log import record, sign_head, verify
from governance.core.actor import CONSOLE
from governance.models import AuditEntry, AuditHead
from tests import builders

WRITERS, ENTRIES = 4, 8


@pytest.mark.django_db(transaction=True)
def test_concurrent_writers_append_to_one_unbroken_chain():
    project = builders.a_project()
    start = threading.Barrier(WRITERS)

    def write(name: str) -> None:
        try:
            start.wait(20)
            for number in range(ENTRIES):
                with transaction.atomic():
                    record(CONSOLE, "tried", f"{name} {number}", project=project)
                sign_head(project)
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=(f"writer {n}",)) for n in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    entries = AuditEntry.objects.filter(project=project).order_by("number")
    assert [entry.number for entry in entries] == list(range(1, WRITERS * ENTRIES + 1))
    assert len({entry.subject for entry in entries}) == WRITERS * ENTRIES
    assert AuditHead.objects.filter(project=project, number=WRITERS * ENTRIES).exists()
    assert verify(project) is None
