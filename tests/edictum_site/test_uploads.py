"""How many bytes of a body the front accepts from each sender."""

from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from edictum_site.front.bodies import BodyRefused
from edictum_site.uploads import DOCUMENT_BYTES, INGEST_BYTES, may_upload
from tests import builders


def status_of(path: str, key: str = "", cookie: str = "") -> int:
    environ = {"PATH_INFO": path, "REQUEST_METHOD": "POST", "HTTP_COOKIE": cookie}
    if key:
        environ["HTTP_AUTHORIZATION"] = f"Bearer {key}"
    return may_upload(environ)


@pytest.mark.parametrize("path", ["/v1/outcomes", "/account/sign-in/", "/v1/artifacts", "/"])
def test_an_unauthenticated_upload_is_rejected(db, path):
    assert status_of(path) == 0
    assert status_of(path, "edk_production_" + "a" * 40) == 0
    assert status_of(path, cookie="sessionid=nobody") == 0


@pytest.mark.parametrize("prefix", ["/v1", "/api/v1"])
def test_an_ingest_key_can_upload_a_full_batch_and_an_artifact(project, prefix):
    for scope in ("agent", "ingest"):
        key, _ = builders.a_key(project, scope)
        assert status_of(f"{prefix}/outcomes", key) == INGEST_BYTES
        assert status_of(f"{prefix}/audit/ingest", key) == INGEST_BYTES
        assert status_of(f"{prefix}/artifacts", key) == settings.MAX_ARTIFACT


def test_a_key_without_the_ingest_scope_cannot_upload_batches_or_artifacts(project):
    key, _ = builders.a_key(project, "read", "manage")
    assert status_of("/v1/outcomes", key) == 0
    assert status_of("/v1/artifacts", key) == 0
    assert status_of("/v1/contracts", key) == DOCUMENT_BYTES


def test_a_signed_in_user_can_submit_a_form(admin_client):
    cookie = f"sessionid={admin_client.cookies['sessionid'].value}"
    assert status_of("/p/default/contracts/", cookie=cookie) == DOCUMENT_BYTES


@pytest.mark.django_db(transaction=True)
def test_an_upload_is_503_while_the_database_is_unavailable(monkeypatch):
    key, _ = builders.a_key(builders.a_project(), "ingest")
    connection.close()
    with monkeypatch.context() as away:
        away.setitem(connection.settings_dict, "NAME", str(Path(settings.DATA)))  # not a database
        with pytest.raises(BodyRefused) as refused:
            status_of("/v1/outcomes", key)
        connection.close()
    assert (refused.value.status, refused.value.code) == (503, "database_unavailable")
    assert status_of("/v1/outcomes", key) == INGEST_BYTES
