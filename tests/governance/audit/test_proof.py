"""Tamper evidence: every kind of change to a log is detected, with the first broken entry."""

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.urls import reverse
from django.utils import timezone

from governance.audit_log import (
    Break,
    SignedHead,
    heads_in,
    record,
    remove_entries,
    sign_head,
    sign_heads,
    verify,
)
from governance.audit_log.chain import BEGINNING, chain_keys, hash_of
from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.delivery.commands.signing import rotate_signing_key
from governance.models import AuditEntry, AuditHead
from tests import builders
from tests.audit_triggers import dropped_triggers
from tests.governance.deploying import saved


@pytest.fixture
def log(project):
    for number in range(1, 7):
        record(CONSOLE, "tried", f"{number}", project=project)
    return AuditEntry.objects.filter(project=project).order_by("number")


@pytest.fixture
def copy(project, log, tmp_path):
    """A signed head of six entries, stored elsewhere, followed by two more entries."""
    file = tmp_path / "heads.txt"
    file.write_text(f'{{"message": "{sign_head(project)}"}}\n')
    for number in (7, 8):
        record(CONSOLE, "tried", f"{number}", project=project)
    return file


def broken(project, *against) -> Break:
    place = verify(project, against)
    assert place is not None
    return place


def signed_now(project) -> SignedHead:
    head = sign_head(project)
    assert head is not None
    return head


def chained_again(entries, keys) -> None:
    """Rechain every entry to its predecessor, as an intruder with this key would."""
    previous = BEGINNING
    for entry in entries:
        entry.previous_hash = previous
        previous = entry.hash = hash_of(entry, keys[0])
        entry.save()


def altered(log) -> None:
    log.filter(number=3).update(subject="x")


def removed(log) -> None:
    log.filter(number=3).delete()


def inserted(log) -> None:
    for entry in reversed(log.filter(number__gt=2)):
        log.filter(number=entry.number).update(number=entry.number + 1)
    third = log.get(number=4)
    third.pk, third.number, third.subject = None, 3, "inserted"
    third.save()


def chained_with_another_key(log) -> None:
    altered(log)
    chained_again(log, [b"a key of the intruder"])


def chained_with_the_key(log) -> None:
    altered(log)
    chained_again(log, chain_keys(log[0].project_id))


def truncated(log) -> None:
    log.filter(number__gt=4).delete()


def emptied(log) -> None:
    log.delete()


def beginning_removed(log) -> None:
    log.filter(number__lt=3).delete()


@pytest.mark.parametrize(
    ("change", "place", "why"),
    [
        (altered, 3, "Entry 3 was altered"),
        (removed, 3, "Entry 3 is missing"),
        (inserted, 3, "Entry 3 was altered"),
        (chained_with_another_key, 1, "Entry 1 was altered, or written without"),
        (chained_with_the_key, 1, "Entries 1 to 6 are not those signed on"),
        (truncated, 5, "Entries 5 to 6 are missing"),
        (emptied, 1, "Entries 1 to 6 are missing"),
        (beginning_removed, 1, "Entries 1 to 2 are missing, and no checkpoint"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_tampered_log_is_detected_by_command_and_page(
    project, log, copy, client_as, capsys, change, place, why
):
    call_command("verify_audit", against=[copy])
    assert f"{project.slug}: intact, 1 earlier heads match" in capsys.readouterr().out
    with dropped_triggers():
        change(log)
        AuditHead.objects.all().delete()  # would detect the change without a copy
    with pytest.raises(CommandError, match="Tampering detected"):
        call_command("verify_audit", against=[copy])
    assert f"{project.slug}: BROKEN at entry {place}. {why}" in capsys.readouterr().out
    at = reverse("governance:audit_verification", args=[project.slug])
    page = client_as(Role.VIEWER).post(at, {"heads": copy.read_text()})
    assert f"The audit log was changed at entry {place}" in page.text
    assert why in page.text


@pytest.mark.parametrize("change", [chained_with_the_key, truncated, emptied])
def test_stored_heads_detect_changes_that_the_chain_misses(project, log, copy, change):
    with dropped_triggers():
        change(log)
    assert verify(project) is not None


def test_verification_reports_a_removed_project(project, copy, capsys):
    text = copy.read_text().replace(f"{project.pk}:", f"{project.pk + 99}:")
    copy.write_text(text)
    with pytest.raises(CommandError):
        call_command("verify_audit", against=[copy])
    assert "The project and its log are gone" in capsys.readouterr().out


def test_a_forged_head_is_detected(project, log, copy):
    (head,) = heads_in(copy.read_text())
    (forged,) = heads_in(str(head).replace(head.hash, "f" * 64))
    assert verify(project, [head]) is None
    assert broken(project, forged).why == "The head at entry 6 has a wrong signature."
    other = builders.a_project()
    record(CONSOLE, "tried", "x", project=other)
    (foreign,) = heads_in(str(sign_head(other)))
    assert verify(project, [foreign]) is None  # of another log


def test_a_head_signed_with_a_key_of_another_project_is_detected(project, log):
    rotate_signing_key(project, by=CONSOLE)
    head = signed_now(project)
    rotate_signing_key(project, by=CONSOLE)
    assert verify(project, [head]) is None  # retired keys remain trusted
    project.signing_keys.exclude(retired_at=None).delete()
    assert "not the project's" in broken(project, head).why


def test_a_head_is_signed_once_and_written_to_the_log_stream(
    project, log, caplog, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        sign_heads()
        sign_heads()
    (row,) = AuditHead.objects.filter(project=project)
    (head,) = [each for each in heads_in(caplog.text) if each.project_id == project.pk]
    assert (head.number, head.hash) == (row.number, row.hash) == (6, log.last().hash)
    assert head.is_signed()


def test_an_export_signs_the_head_and_includes_it(project, log, client_as):
    viewer = client_as(Role.VIEWER)
    file = viewer.get(reverse("governance:audit", args=[project.slug]), {"format": "csv"})
    (head,) = heads_in(file["X-Audit-Head"])
    assert head.is_signed()
    there = reverse("governance:audit_verification", args=[project.slug])
    heads = viewer.get(there, {"format": "txt"})
    assert heads["Content-Disposition"].startswith("attachment")
    assert str(head) in heads.text
    page = viewer.post(there, {"heads": heads.text})
    assert "The audit log is intact" in page.text


def test_an_export_of_one_contract_also_signs_the_head(project, client_as):
    name = saved(project).bundle.name
    at = reverse("governance:contract_audit", args=[project.slug, name])
    (head,) = heads_in(client_as(Role.VIEWER).get(at, {"format": "json"})["X-Audit-Head"])
    assert head.is_signed()


def test_text_without_a_signed_head_is_rejected(project, client_as, tmp_path):
    at = reverse("governance:audit_verification", args=[project.slug])
    page = client_as(Role.VIEWER).post(at, {"heads": "audit head 1 nothing"})
    assert page.status_code == 422
    assert "No signed head found" in page.text
    (tmp_path / "empty").write_text("nothing")
    with pytest.raises(CommandError, match="no signed head"):
        call_command("verify_audit", against=[tmp_path / "empty"])


@pytest.mark.parametrize("table", ["governance_auditentry", "governance_audithead"])
@pytest.mark.parametrize("statement", ["UPDATE {} SET number = 99", "DELETE FROM {}"])
def test_the_database_rejects_changes_to_a_log(project, log, table, statement):
    sign_head(project)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        connection.cursor().execute(statement.format(table))
    assert verify(project) is None


def test_retention_leaves_a_signed_checkpoint(project, log, tmp_path, capsys):
    head = signed_now(project)
    later = timezone.now()
    record(CONSOLE, "tried", "7", project=project)
    assert remove_entries(project, later) == 6
    assert [entry.number for entry in log] == [7, 8]
    checkpoint = AuditHead.objects.get(project=project, number=6)
    assert checkpoint.hash == head.hash
    assert verify(project, [head]) is None
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        log.delete()


def test_entries_chained_with_an_old_secret_key_verify_once_it_is_configured(
    project, log, settings
):
    earlier, settings.SECRET_KEY = settings.SECRET_KEY, "x" * 50
    record(CONSOLE, "tried", "under the new key", project=project)
    assert broken(project).number == 1
    settings.OLD_SECRETS = [earlier]
    assert verify(project) is None
    settings.SECRET_KEY = earlier
    record(CONSOLE, "tried", "chained with the earlier key by its finder", project=project)
    settings.SECRET_KEY = "x" * 50
    assert broken(project).number == 8


def test_a_signing_key_encrypted_with_another_secret_cannot_sign_a_head(project, log, settings):
    assert sign_head(project) is not None
    record(CONSOLE, "tried", "7", project=project)
    settings.SECRET_KEY = "y" * 50
    assert sign_head(project) is None


def test_an_entry_records_the_address_and_user_agent_of_its_request(project, admin_client):
    admin_client.post(
        reverse("governance:rename", args=[project.slug]),
        {"name": "Another"},
        REMOTE_ADDR="192.0.2.7",
        HTTP_USER_AGENT="a browser",
    )
    entry = AuditEntry.objects.get(project=project, action="project renamed")
    assert (entry.address, entry.user_agent) == ("192.0.2.7", "a browser")
    page = admin_client.get(reverse("governance:audit", args=[project.slug]), {"q": "192.0.2.7"})
    assert "a browser" in page.text
    assert "entry-1" in page.text
    assert verify(project) is None
