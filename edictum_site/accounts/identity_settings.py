"""Identity providers from the environment: `EDICTUM_SITE_OIDC` lists their names, and each has its
own variables, such as `EDICTUM_SITE_OIDC_ACME_URL`."""

import re
from typing import Any, Final
from urllib.parse import urlsplit

from edictum_site.env import SettingInvalid, env_bool, env_int, env_secret, env_str
from governance.core.roles import Role
from governance.people.providers import GroupRole, IdentityProvider

NAMES: Final = "EDICTUM_SITE_OIDC"
LOCAL: Final = {"localhost", "127.0.0.1", "::1"}
_ID: Final = re.compile(r"[a-z][a-z0-9-]{0,31}")
_GROUP: Final = re.compile(r"(?P<group>.+)=(?P<project>[\w-]+):(?P<role>\w+)")


def env_providers() -> dict[str, IdentityProvider]:
    ids = [each.strip() for each in env_str(NAMES).split(",") if each.strip()]
    providers = {each: _provider(each) for each in ids}
    domains = [domain for each in providers.values() for domain in each.domains]
    if len(domains) != len(set(domains)):
        raise SettingInvalid("Each mail domain belongs to one provider of EDICTUM_SITE_OIDC.")
    return providers


def allauth_providers(providers: dict[str, IdentityProvider]) -> dict[str, Any]:
    """Providers in the format of allauth's settings."""
    apps = [
        {
            "provider_id": each.id,
            "name": each.name,
            "client_id": each.client_id,
            "secret": each.secret,
            "settings": {"server_url": each.url, "oauth_pkce_enabled": True},
        }
        for each in providers.values()
    ]
    return {"openid_connect": {"APPS": apps}} if apps else {}


def _provider(id_: str) -> IdentityProvider:
    if not _ID.fullmatch(id_):
        raise SettingInvalid(
            f"{NAMES} must name providers by lower-case letters, digits and -, not {id_!r}."
        )
    prefix = f"{NAMES}_{id_.upper().replace('-', '_')}_"
    domains = [each.strip().lower() for each in env_str(f"{prefix}DOMAINS").split(",")]
    return IdentityProvider(
        id=id_,
        name=env_str(f"{prefix}NAME", id_.capitalize()),
        url=_url(f"{prefix}URL"),
        client_id=_required(f"{prefix}CLIENT_ID", env_str(f"{prefix}CLIENT_ID")),
        secret=_required(f"{prefix}CLIENT_SECRET", env_secret(f"{prefix}CLIENT_SECRET")),
        domains=frozenset(each.removeprefix("@") for each in domains if each),
        groups=_groups(f"{prefix}GROUPS"),
        groups_claim=env_str(f"{prefix}GROUPS_CLAIM", "groups"),
        proves_second_factor=env_bool(f"{prefix}SECOND_FACTOR"),
        hours=_hours(f"{prefix}HOURS"),
    )


def _required(name: str, value: str) -> str:
    if not value:
        raise SettingInvalid(f"{name} must be set, because {NAMES} names its provider.")
    return value


def _url(name: str) -> str:
    url = _required(name, env_str(name)).rstrip("/")
    parts = urlsplit(url)
    if parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOCAL):
        return url
    raise SettingInvalid(f"{name} must begin with https://, not {url!r}.")


def _hours(name: str) -> int:
    hours = env_int(name, 12)
    if hours < 1:
        raise SettingInvalid(f"{name} must be at least 1, not {hours}.")
    return hours


def _groups(name: str) -> tuple[GroupRole, ...]:
    return tuple(_group(name, each.strip()) for each in env_str(name).split(";") if each.strip())


def _group(name: str, text: str) -> GroupRole:
    match = _GROUP.fullmatch(text)
    if match is None or match["role"] not in set(Role):
        raise SettingInvalid(
            f"{name} must be group=project:role, separated by semicolons, not {text!r}."
        )
    return GroupRole(group=match["group"], project=match["project"], role=Role(match["role"]))
