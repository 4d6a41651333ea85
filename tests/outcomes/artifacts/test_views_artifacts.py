"""Downloads of artifacts: always as attachments, and only within the project."""

import json

import pytest

from governance.core.roles import Role
from tests import builders
from tests.outcomes.pages import Pages


def stored(agent, content: bytes, media_type: str) -> str:
    answer = agent.client.post("/v1/artifacts", content, content_type=media_type)
    return str(json.loads(answer.content)["sha256"])


@pytest.mark.parametrize(
    ("media_type", "comes_as", "extension"),
    [
        ("text/html", "application/octet-stream", ".bin"),
        ("image/svg+xml", "application/octet-stream", ".bin"),
        ("text/plain", "text/plain", ".txt"),
        ("application/json; charset=utf-8", "application/json", ".json"),
    ],
)
def test_a_download_is_an_attachment_that_cannot_run_scripts(
    operators_pages, agent, media_type, comes_as, extension
):
    content = b"<script>alert(1)</script>" * 30_000
    sha256 = stored(agent, content, media_type)
    response = operators_pages.get(f"artifacts/{sha256}/raw")
    assert b"".join(response.streaming_content) == content
    assert response.headers["Content-Type"] == comes_as
    assert response.headers["Content-Length"] == str(len(content))
    assert response.headers["Content-Disposition"] == (
        f'attachment; filename="{sha256[:12]}{extension}"'
    )
    assert response.headers["Content-Security-Policy"] == "sandbox"
    assert response.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("media_type", ["application/javascript", "text/css", "text/html;q"])
def test_the_api_serves_no_scripts_to_a_browser(operators_pages, agent, media_type):
    address = f"/v1/artifacts/{stored(agent, b'alert(1)', media_type)}"
    for client, comes_as in (
        (operators_pages.client, "application/octet-stream"),
        (agent.client, media_type),
    ):
        response = client.get(address)
        assert b"".join(response.streaming_content) == b"alert(1)"
        assert response.headers["Content-Type"] == comes_as
        assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_other_projects_and_anonymous_visitors_cannot_download(pages, agent, client):
    sha256 = stored(agent, b"ours", "text/plain")
    other = builders.a_member(builders.a_project(), Role.ADMIN)
    theirs = Pages(builders.signed_in(other.user), other.project.slug)
    assert theirs.get(f"artifacts/{sha256}/raw").status_code == 404
    assert client.get(f"{pages.base}/artifacts/{sha256}/raw").status_code == 302


@pytest.mark.parametrize("name", ["0" * 64, "..", "x"])
def test_an_unknown_artifact_is_404(operators_pages, name):
    assert operators_pages.get(f"artifacts/{name}/raw").status_code == 404


def test_a_head_request_leaves_no_file_open(operators_pages, agent):
    sha256 = stored(agent, b"ours", "text/plain")
    response = operators_pages.client.head(f"{operators_pages.base}/artifacts/{sha256}/raw")
    assert response.headers["Content-Length"] == "4"
    response.close()
