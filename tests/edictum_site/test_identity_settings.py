"""Identity providers configured through environment variables."""

import re

import pytest

from edictum_site.accounts.identity_settings import env_providers
from edictum_site.env import SettingInvalid
from governance.core.roles import Role
from tests.docs.blocks import ROOT

GOOD = {
    "EDICTUM_SITE_OIDC": "acme",
    "EDICTUM_SITE_OIDC_ACME_URL": "https://id.acme.test/realm/",
    "EDICTUM_SITE_OIDC_ACME_CLIENT_ID": "console",
    "EDICTUM_SITE_OIDC_ACME_CLIENT_SECRET": "secret",
}


@pytest.fixture(autouse=True)
def _complete(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in GOOD.items():
        monkeypatch.setenv(name, value)


def test_a_provider_is_configured_from_variables_and_defaults():
    provider = env_providers()["acme"]
    assert (provider.name, provider.url) == ("Acme", "https://id.acme.test/realm")
    assert (provider.domains, provider.groups, provider.hours) == (frozenset(), (), 12)
    assert "secret=" not in repr(provider)


def test_the_example_in_the_docs_is_a_valid_provider(monkeypatch, tmp_path):
    text = (ROOT / "docs/people.md").read_text()
    for name, value in re.findall(r"^export (\w+)='?([^'\n]+)'?$", text, re.MULTILINE):
        monkeypatch.setenv(name, value)
    secret = tmp_path / "secret"
    secret.write_text("of a file")
    monkeypatch.setenv("EDICTUM_SITE_OIDC_ACME_CLIENT_SECRET_FILE", str(secret))
    provider = env_providers()["acme"]
    assert (provider.secret, provider.domains) == ("of a file", frozenset({"acme.example"}))
    assert provider.roles(["agents-team"]) == {"default": Role.EDITOR}


def test_group_names_can_contain_spaces_commas_and_slashes(monkeypatch):
    groups = "/team a=default:viewer; cn=ops,dc=acme=default:operator"
    monkeypatch.setenv("EDICTUM_SITE_OIDC_ACME_GROUPS", groups)
    first, second = env_providers()["acme"].groups
    assert (first.group, first.role) == ("/team a", Role.VIEWER)
    assert (second.group, second.project, second.role) == ("cn=ops,dc=acme", "default", "operator")


def test_a_person_gets_the_highest_role_of_their_groups(monkeypatch):
    groups = "a=one:viewer;b=one:editor;c=one:operator;d=two:admin"
    monkeypatch.setenv("EDICTUM_SITE_OIDC_ACME_GROUPS", groups)
    provider = env_providers()["acme"]
    assert provider.roles(["a", "b", "c", "x"]) == {"one": Role.EDITOR, "two": None}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("EDICTUM_SITE_OIDC", "Acme Inc"),
        ("EDICTUM_SITE_OIDC_ACME_URL", "http://id.acme.test"),
        ("EDICTUM_SITE_OIDC_ACME_URL", ""),
        ("EDICTUM_SITE_OIDC_ACME_CLIENT_ID", ""),
        ("EDICTUM_SITE_OIDC_ACME_CLIENT_SECRET", ""),
        ("EDICTUM_SITE_OIDC_ACME_GROUPS", "writers=default"),
        ("EDICTUM_SITE_OIDC_ACME_GROUPS", "writers=default:owner"),
        ("EDICTUM_SITE_OIDC_ACME_HOURS", "0"),
    ],
)
def test_an_invalid_provider_setting_is_rejected(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingInvalid, match="EDICTUM_SITE_OIDC"):
        env_providers()


def test_a_domain_belongs_to_one_provider(monkeypatch):
    monkeypatch.setenv("EDICTUM_SITE_OIDC", "acme,other")
    for name in ("URL", "CLIENT_ID", "CLIENT_SECRET"):
        value = GOOD[f"EDICTUM_SITE_OIDC_ACME_{name}"]
        monkeypatch.setenv(f"EDICTUM_SITE_OIDC_OTHER_{name}", value)
    for name in ("ACME", "OTHER"):
        monkeypatch.setenv(f"EDICTUM_SITE_OIDC_{name}_DOMAINS", "acme.test")
    with pytest.raises(SettingInvalid, match="one provider"):
        env_providers()
