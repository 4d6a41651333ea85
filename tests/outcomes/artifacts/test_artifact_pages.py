"""Pages of artifacts: the list, the content of one, and how often a model read it again."""

import html
import json
import re
import struct
from hashlib import sha256
from typing import Any

import pytest
from django.test import Client

from governance.core.roles import Role
from outcomes.core.artifact_store import FRAME
from outcomes.models import Artifact, Call
from tests import builders
from tests.governance.casing import a_case, added
from tests.governance.deploying import saved
from tests.outcomes.pages import Pages, an_item, text_of
from tests.outcomes.posting import Agent
from tests.recount import differences

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 4, 3)


def uploaded(agent: Agent, content: bytes, media_type: str = "text/plain") -> str:
    answer = agent.client.post("/v1/artifacts", content, content_type=media_type)
    return str(json.loads(answer.content)["sha256"])


def a_reference(name: str, session: str = "s-1", **fields: Any) -> dict[str, Any]:
    return an_item(session, type="artifact_reference", artifact_id=name, output=None, **fields)


def a_read(name: str, lines: str = "1-9", **fields: Any) -> dict[str, Any]:
    request = {"artifact_reference": name, "lines": lines}
    return an_item(tool_name="read_file", tool_args=request, **fields)


def read(client: Client, path: str) -> None:
    """Read a response to its end, so that nothing stays open."""
    b"".join(client.get(path))


def names_of(pages: Pages, **query: Any) -> list[str]:
    rows = json.loads(b"".join(pages.get("artifacts/", format="json", **query)).decode())
    return [row["artifact_id"] for row in rows["artifacts"]]


@pytest.fixture
def three(agent) -> list[str]:
    """Three artifacts: stored and read again, stored, and stored by its agent (in two
    environments)."""
    texts = ["a" * 20_000, "b" * 30_000]
    first, second = (sha256(text.encode()).hexdigest() for text in texts)
    agent.post(
        an_item(output=texts[0]),
        a_read(first, agent_id="other"),
        a_read(first, "10-19"),
        an_item("s-2", output=texts[1], agent_id="other"),
        a_reference("s3://bucket/x", "s-2", size_bytes=90_000, summary="31 rows", agent_id="other"),
        a_reference("s3://bucket/x", "s-3", size_bytes=90_000, agent_id="other"),
    )
    return [first, second, "s3://bucket/x"]


def test_the_list_counts_artifacts_references_and_rereads(pages, three):
    first, second, stored = three
    text = pages.text("artifacts/", range="all")
    assert "3 artifacts · 140 kB · 1 re-read" in text
    assert "All 3 Stored here 2 Kept by agents 1 Re-read 1" in text
    assert "References up to now 4" in text
    assert names_of(pages) == [stored, second, first]
    assert names_of(pages, sort="size") == [stored, second, first]
    assert names_of(pages, sort="references")[0] == stored
    assert names_of(pages, sort="reads")[0] == first
    assert names_of(pages, show="read") == [first]
    assert names_of(pages, show="elsewhere") == [stored]
    assert names_of(pages, agent="bot") == [first]
    assert names_of(pages, environment="staging") == []
    assert names_of(pages, q="s3:") == [stored]
    assert pages.text("artifacts/", range="15m").startswith("Skip to content")
    assert "No matching artifacts" in pages.text("artifacts/", q="nowhere")


def test_figures_match_the_calls(pages, three, agent):
    file = json.loads(b"".join(pages.get("artifacts/", format="json")).decode())
    assert {row["artifact_id"] for row in file["artifacts"]} == set(three)
    for row in file["artifacts"]:
        calls = [each for each in agent.outcomes() if each.get("artifact_id") == row["artifact_id"]]
        assert row["references"] == len(calls)
        assert row["reads"] == Call.objects.filter(artifact_read=row["artifact_id"]).count()
        assert row["agents"] == sorted({each["agent_id"] for each in calls})
        assert row["size_bytes"] == calls[0]["size_bytes"]
        assert row["newest_call_id"] == calls[0]["call_id"]


def test_every_artifact_is_listed_once_across_pages(pages, agent):
    agent.post(*(a_reference(f"name-{number}", size_bytes=number % 3) for number in range(53)))
    for order in ("", "size", "references", "reads"):
        first = pages.rows("artifacts/", sort=order)
        older = pages.links("artifacts/", sort=order)["next"]
        rest = re.findall(r'<tr data-row="(\d+)"', pages.client.get(older).content.decode())
        assert (len(first), len(rest), len({*first, *rest})) == (50, 3, 53)


def test_the_list_refreshes_only_after_a_change(pages, agent):
    assert "No artifacts yet" in pages.text("artifacts/")
    agent.post(a_reference("one"))
    page = pages.get("artifacts/", range="all").content.decode()
    live = html.unescape(re.findall(r'hx-get="([^"]*/live/artifacts/[^"]*)"', page)[0])
    assert pages.client.get(live).status_code == 204
    agent.post(a_read("one"))
    assert "1 artifact · 0 B · 1 re-read" in text_of(pages.client.get(live))


def test_an_artifact_page_lists_referring_calls_and_reads(pages, three, agent):
    first = three[0]
    read(agent.client, f"/v1/artifacts/{first}")
    read(agent.client, f"/v1/artifacts/{first}?lines=1-1")
    read(agent.client, f"/v1/artifacts/{first}?lines=7-9")  # lines that do not exist
    text = pages.text(f"artifacts/{first}/")
    assert "query output: 1 call · re-read 2 times" in text
    assert "Fetched by agents 2 times" in text
    assert 'read_file other lines: "1-9"' in text
    text = pages.text("artifacts/s3:%2F%2Fbucket%2Fx/")
    assert "query output: 2 calls, kept by the agent" in text
    assert "s-2" in text
    assert "Kept by the agent" in text
    assert pages.get("artifacts/nobody/").status_code == 404


def test_reads_with_a_read_key_or_in_a_browser_are_not_counted_as_agent_fetches(
    pages, agent, reader
):
    name = uploaded(agent, b"text")
    read(reader, f"/v1/artifacts/{name}")
    read(pages.client, f"{pages.base}/artifacts/{name}/raw")
    assert "Fetched by agents never" in pages.text(f"artifacts/{name}/")


def test_a_head_request_is_not_counted_as_a_fetch(agent):
    name = uploaded(agent, b"text")
    response = agent.client.head(f"/v1/artifacts/{name}")
    assert (response.status_code, Artifact.objects.get().fetches) == (200, 0)
    response.close()


def test_lines_of_a_large_text_are_displayed_from_the_requested_line(pages, agent):
    content = b"".join(b"line %d\n" % number for number in range(1, 60_001))
    assert len(content) > 2 * FRAME
    path = f"artifacts/{uploaded(agent, content)}/"
    text = pages.text(path, line="59,900")
    assert "59900 line 59900" in text
    assert "60000 line 60000" in text
    assert "From line 59,900 of 60,000" in text
    page = pages.get(path).content.decode()
    further = html.unescape(re.findall(r'rel="next" href="([^"]*)"', page)[0])
    assert "201 line 201" in text_of(pages.client.get(further))
    assert "line 201" not in text_of(pages.get(path))
    for odd in ("0", "-1", "x", "9" * 40, ""):
        assert pages.get(path, line=odd, byte=odd, member=odd).status_code == 200
    assert "60000 line 60000" in pages.text(path, line="9" * 15)


def test_a_line_longer_than_the_window_can_be_read_in_parts(pages, agent):
    content = b"ab" * 600_000 + b"\nend"
    path = f"artifacts/{uploaded(agent, content)}/"
    page = pages.get(path)
    assert len(page.content) < 200_000
    assert "… continues" in text_of(page)
    assert "2 end" in pages.text(path, line=2)
    text = pages.text(path, byte=1_199_990)
    assert "… ababababab 2 end" in text


def test_json_can_be_opened_member_by_member_and_past_long_members(pages, agent):
    rows = [{"id": number, "name": f"n-{number}"} for number in range(30_000)]
    content = json.dumps({"rows": rows, "after": "the end"}).encode()
    path = f"artifacts/{uploaded(agent, content, 'application/json')}/"
    page = pages.get(path).content.decode()
    assert "list, more than 512 KiB" in page
    urls = [html.unescape(url) for url in re.findall(r'href="([^"]*(?:in=|past=)[^"]*)"', page)]
    inside, past = (next(url for url in urls if sign in url) for sign in ("in=9", "past=1"))
    assert '"name" : "n-49"' in text_of(pages.client.get(inside))
    text = text_of(pages.client.get(past))
    assert 'after "the end"' in text
    assert "Members 2\N{EN DASH}2, the last" in text


HOSTILE = [
    (b"", "text/plain", "Empty."),
    (b"[" * 9_000, "application/json", "list, more than 512 KiB"),
    (b"{]", "application/json", "Empty."),
    (b"{1: 2}", "application/json", "This is not JSON."),
    (b"a\xff\n", "text/plain", "1 invalid UTF-8 sequence here"),
    (b'a,b\n"' + b"x\n" * 90, "text/csv", "over 50 lines"),
    (b"a,b\n" + b"c" * 140_000, "text/csv", "a b"),
    (b"<script>alert(1)</script>", "text/html", "<script>alert(1)</script>"),
    (b"\0\1", "text/html", "00 01 \N{MIDDLE DOT}\N{MIDDLE DOT}"),
    (PNG.replace(b"\4", b"\x7f\xff"), "image/png", "too large to preview"),
]


@pytest.mark.slow
def test_hostile_content_can_be_displayed_in_every_mode(pages, agent):
    for content, media_type, says in HOSTILE:
        path = f"artifacts/{uploaded(agent, content, media_type)}/"
        assert says in pages.text(path), content[:20]
        for way in ("text", "json", "table", "bytes", "image", "odd"):
            fields = {"as": way, "byte": "3", "in": "1", "past": "1"}
            assert pages.get(path, **fields).status_code == 200, (content[:20], way)


def test_an_image_is_served_with_the_type_of_its_bytes_and_sandboxed(pages, agent):
    name = uploaded(agent, PNG, "text/html")
    assert (
        f'src="/p/{pages.base[3:]}/artifacts/{name}/image"' in pages.get(f"artifacts/{name}/").text
    )
    response = pages.get(f"artifacts/{name}/image")
    assert b"".join(response.streaming_content) == PNG
    assert response.headers["Content-Type"] == "image/png"
    assert response.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert response.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "content",
    [
        b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 90_000, 90_000),
    ],
    ids=["drawn from text", "too many points"],
)
def test_an_unsupported_image_can_only_be_downloaded(pages, agent, content):
    name = uploaded(agent, content, "image/svg+xml")
    assert pages.get(f"artifacts/{name}/image").status_code == 404
    assert "<img" not in pages.get(f"artifacts/{name}/").text


def test_artifacts_are_not_visible_to_other_projects(three):
    other = builders.a_member(builders.a_project(), Role.ADMIN)
    theirs = Pages(builders.signed_in(other.user), other.project.slug)
    assert "No artifacts yet" in theirs.text("artifacts/")
    for name in three[:2]:
        assert theirs.get(f"artifacts/{name}/").status_code == 404
        assert theirs.get(f"artifacts/{name}/image").status_code == 404


def test_an_artifact_name_can_contain_any_characters(pages, agent):
    names = ["..", "-", "a/../b", "a b?c#d", "x" * 1_000, "\N{LATIN SMALL LETTER E WITH ACUTE}\n"]
    agent.post(*map(a_reference, names))
    page = pages.get("artifacts/").text
    urls = {html.unescape(url) for url in re.findall(r'row-link cut" href="([^"]*)"', page)}
    assert len(urls) == len(names)
    for url in urls:
        assert ": 1 call" in text_of(pages.client.get(url)), url


def test_implausible_sizes_are_summed_without_overflow(pages, agent):
    names = [f"s3://made-up-{number}" for number in range(4)]
    agent.post(*(a_reference(name, size_bytes=2**62) for name in names[:2]))
    agent.post(*(a_reference(name, size_bytes=2**62) for name in names[2:]), an_item())
    assert "4 artifacts in the last 24 hours · 4,398 GB" in pages.text("artifacts/")
    assert "4 artifacts" in pages.text("artifacts/", q="s3:")
    assert agent.outcomes(type="artifact_reference")[0]["size_bytes"] == 2**62
    assert differences() == []


def test_an_impossible_id_is_not_searched_in_documents(project, pages):
    added(saved(project).bundle, a_case())
    assert pages.get("live/artifact-documents/", of="x" * 60_000).status_code == 200
