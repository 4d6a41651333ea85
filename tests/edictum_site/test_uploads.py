"""How many bytes the front reads for whom."""

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
def test_a_stranger_may_send_nothing_large(db, path):
    assert status_of(path) == 0
    assert status_of(path, "edk_production_" + "a" * 40) == 0
    assert status_of(path, cookie="sessionid=nobody") == 0


@pytest.mark.parametrize("prefix", ["/v1", "/api/v1"])
def test_a_key_that_may_post_sends_a_full_batch_and_an_artifact(project, prefix):
    for scope in ("agent", "ingest"):
        key, _ = builders.a_key(project, scope)
        assert status_of(f"{prefix}/outcomes", key) == INGEST_BYTES
        assert status_of(f"{prefix}/audit/ingest", key) == INGEST_BYTES
        assert status_of(f"{prefix}/artifacts", key) == settings.MAX_ARTIFACT


def test_a_key_that_may_not_post_sends_neither(project):
    key, _ = builders.a_key(project, "read", "manage")
    assert status_of("/v1/outcomes", key) == 0
    assert status_of("/v1/artifacts", key) == 0
    assert status_of("/v1/contracts", key) == DOCUMENT_BYTES


def test_a_page_takes_a_form_from_who_is_signed_in(admin_client):
    cookie = f"sessionid={admin_client.cookies['sessionid'].value}"
    assert status_of("/p/default/contracts/", cookie=cookie) == DOCUMENT_BYTES


@pytest.mark.django_db(transaction=True)
def test_an_upload_gets_503_while_the_database_is_away(monkeypatch):
    key, _ = builders.a_key(builders.a_project(), "ingest")
    connection.close()
    with monkeypatch.context() as away:
        away.setitem(connection.settings_dict, "NAME", str(Path(settings.DATA)))  # no database
        with pytest.raises(BodyRefused) as refused:
            status_of("/v1/outcomes", key)
        connection.close()
    assert (refused.value.status, refused.value.code) == (503, "database_unavailable")
    assert status_of("/v1/outcomes", key) == INGEST_BYTES
