"""The first start: what it creates and prints, and that a second start does not repeat it."""

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from governance.core.roles import Role
from governance.models import ApiKey, Member, Project, User
from governance.people.auth import resolve_key
from tests import builders
from tests.audit_triggers import dropped_triggers
from tests.builders import PASSWORD

pytestmark = pytest.mark.django_db(transaction=True)
BOOTSTRAP = "edk_staging_" + "Q" * 40


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    for name in ("ADMIN_EMAIL", "ADMIN_PASSWORD", "BOOTSTRAP_KEY", "URL"):
        monkeypatch.delenv(f"EDICTUM_SITE_{name}", raising=False)
    monkeypatch.setenv("HOST", "127.0.0.1")
    monkeypatch.setenv("PORT", "8123")


def start(capsys) -> list[str]:
    call_command("prepare")
    return [line.strip() for line in capsys.readouterr().out.splitlines()]


def test_the_first_start_prints_a_setup_link_and_an_agent_key(capsys):
    lines = start(capsys)
    link = next(line for line in lines if "/set-up/" in line)
    key = next(line for line in lines if line.startswith("edk_production_"))
    assert link.startswith("http://127.0.0.1:8123/set-up/")
    assert Client().get(link.removeprefix("http://127.0.0.1:8123")).status_code == 200
    access = resolve_key(f"Bearer {key}")
    assert access is not None
    assert access.project_slug == "default"
    assert access.scopes == {"agent", "ingest"}
    assert lines.index(key) < lines.index(link)  # the link to open is printed last


def test_a_second_start_creates_no_key_and_prints_a_link_until_a_member_exists(capsys):
    start(capsys)
    lines = start(capsys)
    assert ApiKey.objects.count() == 1
    assert any("/set-up/" in line for line in lines)
    assert not any("edk_" in line for line in lines)
    builders.a_member(Project.objects.get(), Role.ADMIN)
    assert start(capsys) == []


def test_the_admin_from_the_environment_is_created_only_on_the_first_start(capsys, monkeypatch):
    monkeypatch.setenv("EDICTUM_SITE_ADMIN_EMAIL", "Boss@Example.test")
    monkeypatch.setenv("EDICTUM_SITE_ADMIN_PASSWORD", PASSWORD)
    lines = start(capsys)
    member = Member.objects.get()
    assert (member.user.email, member.role) == ("boss@example.test", Role.ADMIN)
    assert member.user.check_password(PASSWORD)
    assert not any("/set-up/" in line for line in lines)
    monkeypatch.setenv("EDICTUM_SITE_ADMIN_EMAIL", "other@example.test")
    start(capsys)
    assert User.objects.count() == 1


@pytest.mark.parametrize(
    ("email", "password", "sentence"),
    [
        ("a@example.test", "", "set together"),
        ("", PASSWORD, "set together"),
        ("a@example.test", "short", "too short"),
        ("nobody", PASSWORD, "email address"),
    ],
)
def test_an_invalid_admin_setting_stops_the_start(monkeypatch, email, password, sentence):
    monkeypatch.setenv("EDICTUM_SITE_ADMIN_EMAIL", email)
    monkeypatch.setenv("EDICTUM_SITE_ADMIN_PASSWORD", password)
    with pytest.raises(CommandError, match=sentence):
        call_command("prepare")


def test_the_bootstrap_key_is_the_only_key_and_has_all_scopes(capsys, monkeypatch):
    monkeypatch.setenv("EDICTUM_SITE_BOOTSTRAP_KEY", BOOTSTRAP)
    lines = start(capsys)
    assert not any("edk_" in line for line in lines)
    access = resolve_key(f"Bearer {BOOTSTRAP}")
    assert access is not None
    assert (access.environment, access.project_slug) == ("staging", "default")
    assert access.scopes == {"agent", "ingest", "read", "manage"}
    start(capsys)
    assert ApiKey.objects.count() == 1


def test_a_changed_bootstrap_key_on_a_later_start_is_ignored_with_a_warning(capsys, monkeypatch):
    start(capsys)
    monkeypatch.setenv("EDICTUM_SITE_BOOTSTRAP_KEY", BOOTSTRAP)
    assert any("differs" in line for line in start(capsys))
    assert resolve_key(f"Bearer {BOOTSTRAP}") is None


@pytest.mark.parametrize("text", ["edk_staging_short", "secret", "edk_staging_" + "-" * 40])
def test_an_invalid_bootstrap_key_stops_the_start(monkeypatch, text):
    monkeypatch.setenv("EDICTUM_SITE_BOOTSTRAP_KEY", text)
    with pytest.raises(CommandError, match="at least 32 letters and digits"):
        call_command("prepare")


def test_printed_links_use_the_configured_console_address(capsys, monkeypatch):
    monkeypatch.setenv("EDICTUM_SITE_URL", "https://console.example/")
    assert any(line.startswith("https://console.example/set-up/") for line in start(capsys))


def test_the_setup_link_command_works_only_without_an_admin(capsys):
    call_command("setup_link")
    assert "/set-up/" in capsys.readouterr().out
    builders.a_member(Project.objects.get(), Role.ADMIN)
    with pytest.raises(CommandError, match="changepassword"):
        call_command("setup_link")


def test_verify_audit_reports_the_first_altered_entry(capsys):
    start(capsys)
    call_command("verify_audit")
    assert "default: intact" in capsys.readouterr().out
    with dropped_triggers():
        Project.objects.get().audit_entries.filter(number=2).update(subject="something else")
    with pytest.raises(CommandError, match="Tampering"):
        call_command("verify_audit")
    assert "default: BROKEN at entry 2" in capsys.readouterr().out
