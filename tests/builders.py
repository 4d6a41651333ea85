"""Builders of test data: valid by default, override what matters."""

import hashlib
import itertools
from typing import Any

from django.test import Client
from django.utils import timezone

from governance.core.roles import Role
from governance.models import (
    ApiKey,
    Bundle,
    BundleVersion,
    Deployment,
    Environment,
    Member,
    Project,
    User,
)
from governance.people.domain import digest_of, hint_of, new_key
from outcomes.models import Batch
from tests.items import an_event as an_event  # re-exported for tests that use a database
from tests.items import an_outcome as an_outcome

PASSWORD = "a-quiet-river-9"
_number = itertools.count(1)


def a_project(slug: str = "") -> Project:
    slug = slug or f"project-{next(_number)}"
    return Project.objects.create(slug=slug, name=slug.replace("-", " ").capitalize())


def a_user(email: str = "", *, password: str | None = None) -> User:
    """User without a password by default, since hashing is slow; sign in with `signed_in`."""
    return User.objects.create_user(email or f"person-{next(_number)}@example.test", password)


def a_member(project: Project, role: Role = Role.VIEWER, *, user: User | None = None) -> Member:
    return Member.objects.create(project=project, user=user or a_user(), role=role.value)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def an_environment(project: Project, name: str = "production") -> Environment:
    return Environment.objects.get_or_create(project=project, name=name)[0]


def a_key(
    project: Project, *scopes: str, env: str = "production", agent: str = "", **fields: object
) -> tuple[str, ApiKey]:
    """API key's text and its row, with the scope `agent` unless others are given."""
    text = new_key(env)
    row = ApiKey.objects.create(
        project=project,
        environment=an_environment(project, env),
        name=f"key {next(_number)}",
        hint=hint_of(text),
        digest=digest_of(text),
        scopes=list(scopes or ("agent",)),
        agent=agent,
        created_by="console",
        **fields,
    )
    return text, row


def a_version(project: Project, *, name: str = "rules", **limits: Any) -> BundleVersion:
    """Contract version whose only rule has these session limits."""
    bundle, _ = Bundle.objects.get_or_create(project=project, name=name)
    number = bundle.versions.count() + 1
    document = f"# {name} {number} {limits}".encode()
    return BundleVersion.objects.create(
        bundle=bundle,
        number=number,
        document=document,
        revision_hash=hashlib.sha256(document).hexdigest(),
        dialect="new",
        session_rules=[{"id": "limits", "limits": limits, "mode": "enforce"}],
        author="console",
    )


def deployed(version: BundleVersion, env: str = "production", *, at: Any = None) -> BundleVersion:
    environment = an_environment(version.bundle.project, env)
    row = Deployment.objects.create(version=version, environment=environment, author="console")
    Deployment.objects.filter(pk=row.pk).update(created_at=at or timezone.now())
    return version


def bearing(key: str, **headers: str) -> Client:
    """Client that sends this API key, like an agent or a program."""
    return Client(headers={"Authorization": f"Bearer {key}", **headers})


def a_batch(project: Project, **fields: Any) -> Batch:
    """Batch in the inbox that no worker will claim, because its body is unreadable."""
    environment = project.environments.first() or an_environment(project)
    usual = {"items": 1, "received_at": timezone.now(), "body": b"", "source": "outcomes"}
    return Batch.objects.create(project=project, environment=environment, **usual | fields)
