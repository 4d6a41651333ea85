"""Outputs too large for a tool message are stored and can be read back."""

import asyncio
import json
import os
from typing import Any

import pytest

from clients.python.tests.executing import a_call, a_tool, execute
from edictum_site_client import Console as Client
from edictum_site_client import Masking
from edictum_site_client.executor import (
    ArtifactNotFound,
    ArtifactStore,
    BoundedExecutor,
    ConsoleArtifacts,
    FolderArtifacts,
    StoredArtifact,
    TurnState,
    read_file,
)
from edictum_site_client.outcomes import (
    TOOL_MESSAGE_MAX_CHARS,
    ToolArtifactReference,
    ToolExecutionResult,
    ToolFailure,
    outcome_to_model_content,
)
from tests.journeys.console import KEY, Console

SECRET = "sk-" + "a" * 40
LINES = [f"row {number}\n" for number in range(1, 4_001)]
TEXT = "".join(LINES)


def the_reference(executor: BoundedExecutor, arguments: Any = None) -> ToolArtifactReference:
    outcome = execute(executor, a_call(arguments))
    assert isinstance(outcome, ToolArtifactReference), outcome
    return outcome


def test_a_large_output_goes_into_a_folder_and_is_read_back_by_lines_and_bytes(tmp_path):
    store = FolderArtifacts(tmp_path / "artifacts")
    reference = the_reference(BoundedExecutor([a_tool(lambda: TEXT)], artifacts=store))
    assert reference.size_bytes == len(TEXT)
    assert reference.summary == TEXT[:200]
    assert store.read_lines(reference.artifact_id, 10, 12) == "".join(LINES[9:12]).encode()
    assert store.read_lines(reference.artifact_id, 3_999) == "".join(LINES[3_998:]).encode()
    assert store.read_bytes(reference.artifact_id, 0, 4) == b"row 1"
    assert store.read_bytes(reference.artifact_id, len(TEXT) - 9) == LINES[-1].encode()
    assert store.read_bytes(reference.artifact_id).decode() == TEXT


def test_what_is_no_text_is_stored_as_json(tmp_path):
    output = {"rows": ["é"] * 5_000}
    store = FolderArtifacts(tmp_path)
    reference = the_reference(BoundedExecutor([a_tool(lambda: output)], artifacts=store))
    assert json.loads(store.read_bytes(reference.artifact_id)) == output
    assert reference.summary.startswith('{"rows":["é","é"')
    assert len(reference.summary) == 200


@pytest.mark.parametrize(
    ("first", "last"), [(0, None), (-1, 2), (3, 2), (4_001, None), (5_000, 6_000)]
)
def test_lines_that_are_not_there_are_refused(first, last):
    store = FolderArtifacts()
    stored = store.put("query", TEXT)
    with pytest.raises(ValueError, match=r"line|range"):
        store.read_lines(stored.artifact_id, first, last)


@pytest.mark.parametrize("name", ["", "nonesuch", "../secrets", "0" * 64, "/etc/hostname"])
def test_only_artifacts_can_be_read(name, tmp_path):
    (tmp_path / "secrets").write_text("secret")
    with pytest.raises(ArtifactNotFound):
        FolderArtifacts(tmp_path / "artifacts").read_bytes(name)


def test_a_temporary_folder_goes_with_its_store():
    store = FolderArtifacts()
    stored = store.put("query", TEXT)
    folder = store._path(stored.artifact_id).parent
    assert (folder.stat().st_mode & 0o777, len(list(folder.iterdir()))) == (0o700, 1)
    del store
    assert not folder.exists()


def test_a_temporary_folder_has_a_bound_and_loses_its_oldest():
    store = FolderArtifacts(max_bytes=25)
    first, second, third = (store.put("query", letter * 10) for letter in "abc")
    with pytest.raises(ArtifactNotFound):
        store.read_bytes(first.artifact_id)
    assert store.read_bytes(second.artifact_id) == b"b" * 10
    assert store.read_bytes(third.artifact_id) == b"c" * 10


def test_an_output_that_cannot_be_stored_is_a_failure_that_is_not_tried_again(tmp_path):
    (tmp_path / "file").write_text("no folder")
    store = FolderArtifacts(tmp_path / "file")
    outcome = execute(BoundedExecutor([a_tool(lambda: TEXT)], artifacts=store))
    assert isinstance(outcome, ToolFailure)
    assert outcome.error.startswith("It ran, but its output could not be stored: ")
    assert not outcome.retryable


def test_a_store_may_be_the_agents_own():
    class Own:
        def put(self, tool_name: str, output: Any) -> StoredArtifact:
            return StoredArtifact(f"own/{tool_name}", len(output))

        def read_lines(self, artifact_id: str, first: int = 1, last: int | None = None) -> bytes:
            return b""

        def read_bytes(self, artifact_id: str, first: int = 0, last: int | None = None) -> bytes:
            return b""

    own: ArtifactStore = Own()
    reference = the_reference(BoundedExecutor([a_tool(lambda: TEXT)], artifacts=own))
    assert (reference.artifact_id, reference.size_bytes) == ("own/query", len(TEXT))


def test_the_model_reads_an_artifact_in_pieces_that_fit():
    store = FolderArtifacts()
    executor = BoundedExecutor([a_tool(lambda: TEXT), read_file(store)], artifacts=store)
    reference = the_reference(executor).artifact_id

    def read(**arguments: int) -> Any:
        arguments_of = {"artifact_reference": reference, **arguments}
        outcome = execute(executor, a_call(arguments_of, tool_name="read_file"))
        assert len(outcome_to_model_content(outcome)) <= TOOL_MESSAGE_MAX_CHARS
        return outcome.output if isinstance(outcome, ToolExecutionResult) else outcome

    assert read() == {"text": "".join(LINES[:200]), "next_line": 201}
    assert read(first_line=3_900) == {"text": "".join(LINES[3_899:])}
    assert read(first_line=10, last_line=12) == {"text": "".join(LINES[9:12])}
    assert read(first_byte=0, last_byte=4) == {"text": "row 1"}
    piece = read(first_line=1, last_line=4_000)
    assert piece["text"] + read(first_line=piece["next_line"])["text"][:4] in TEXT
    piece = read(first_byte=7)
    assert TEXT[7:].startswith(piece["text"] + read(first_byte=piece["next_byte"])["text"])
    missing = read(first_line=4_001)
    assert isinstance(missing, ToolFailure)
    assert missing.error == "ValueError: The artifact has no line 4001."


def test_an_artifact_of_one_long_line_is_read_by_bytes():
    store = FolderArtifacts()
    content = "é\x00\N{GRINNING FACE}" * 20_000
    stored = store.put("query", content)
    read = read_file(store).function
    with pytest.raises(ValueError, match="read it by bytes"):
        read(stored.artifact_id)
    pieces, begin = b"", 0
    while begin < stored.size_bytes:
        piece = read(stored.artifact_id, first_byte=begin)
        assert len(json.dumps(piece)) <= TOOL_MESSAGE_MAX_CHARS
        following = piece.get("next_byte", stored.size_bytes)  # the last piece has no next_byte
        pieces += store.read_bytes(stored.artifact_id, begin, following - 1)
        begin = following
    assert pieces.decode() == content


def test_the_console_keeps_the_artifact_that_its_outcome_refers_to(
    client: Client, console: Console, session: str
) -> None:
    checked = Client(
        console.url, api_key=KEY, success_check=lambda tool, result: "row 4000" not in result
    )
    with checked, checked.session(session, "t-1"):
        executor = BoundedExecutor([a_tool(lambda: f"{TEXT}{session}")], console=checked)
        reference = the_reference(executor)
    (shown,) = console.settled(f"outcomes?session={session}")["outcomes"]
    assert (shown["type"], shown["artifact_id"]) == ("artifact_reference", reference.artifact_id)
    assert (shown["summary"], shown["size_bytes"]) == (TEXT[:200], len(TEXT) + len(session))
    assert (shown["reported"], shown["checked"]) == ("failure", True)
    assert shown["elapsed_ms"] is not None


def test_an_artifact_is_read_back_at_once_and_from_another_process_too(
    client: Client, console: Console, session: str
) -> None:
    store = ConsoleArtifacts(client)
    with client.session(session):
        executor = BoundedExecutor(
            [a_tool(lambda: f"{TEXT}{session}")], console=client, artifacts=store
        )
        reference = the_reference(executor).artifact_id
    assert store.read_lines(reference, 2, 2) == b"row 2\n"
    assert client.flush(60)
    console.settled(f"outcomes?session={session}")
    elsewhere = ConsoleArtifacts(client)
    assert elsewhere.read_lines(reference, 2, 3) == b"row 2\nrow 3\n"
    assert elsewhere.read_lines(reference, 4_001) == session.encode()
    assert elsewhere.read_bytes(reference, 0, 4) == b"row 1"
    assert elsewhere.read_bytes(reference, len(TEXT)) == session.encode()
    with pytest.raises(ValueError, match="no line 5000"):
        elsewhere.read_lines(reference, 5_000)
    with pytest.raises(ArtifactNotFound):
        elsewhere.read_lines("0" * 64)


def test_an_artifact_that_holds_a_part_of_the_output_says_so_and_keeps_its_end(
    client: Client, console: Console, session: str
) -> None:
    text = TEXT * 100 + "KeyError: 7"
    with client.session(session):
        executor = BoundedExecutor([a_tool(lambda: text)], console=client)
        reference = the_reference(executor).artifact_id
    assert client.flush(60)
    (seen,) = console.settled(f"outcomes?session={session}")["outcomes"]
    assert (seen["metadata"], seen["cut"]) == ({"output_cut": True}, True)
    assert executor.artifacts.read_bytes(reference).endswith(b"KeyError: 7")


def test_a_secret_in_an_artifact_stays_in_the_agent(client: Client, console: Console, session: str):
    text = f"{SECRET}\n{TEXT}{session}"
    with client.session(session):
        executor = BoundedExecutor([a_tool(lambda: text)], console=client)
        reference = the_reference(executor).artifact_id
    assert client.flush(60)
    console.settled(f"outcomes?session={session}")
    for store in (executor.artifacts, ConsoleArtifacts(client)):
        assert store.read_lines(reference, 1, 1) == b"[REDACTED]\n"


def test_an_output_that_may_not_leave_stays_here(receiver) -> None:
    masking = Masking(outputs=False)
    with Client(receiver.url, api_key=KEY, masking=masking) as client:
        executor = BoundedExecutor([a_tool(lambda: TEXT)], console=client)
        reference = the_reference(executor).artifact_id
    (item,) = receiver.items
    assert (item["artifact_id"], item["summary"]) == (reference, "")
    assert executor.artifacts.read_lines(reference, 1, 1) == b"row 1\n"


def test_a_child_of_a_fork_does_not_remove_the_artifacts_of_its_parent() -> None:
    store = FolderArtifacts()
    stored = store.put("query", TEXT)
    folder = store._path(stored.artifact_id).parent
    child = os.fork()
    if not child:
        try:
            del store
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert folder.exists()


def test_many_concurrent_large_outputs_are_all_stored(
    client: Client, console: Console, session: str
) -> None:
    def dump(n: int) -> str:
        return f"{n} {session} {TEXT}"

    async def turn(executor: BoundedExecutor) -> list[Any]:
        calls = [a_call({"n": n}, call_id=f"{session}-{n}") for n in range(8)]
        return await asyncio.gather(*(executor.execute(call, TurnState()) for call in calls))

    with client.session(session):
        outcomes = asyncio.run(turn(BoundedExecutor([a_tool(dump)], console=client)))
    assert client.flush(60)
    shown = console.settled(f"outcomes?session={session}")["outcomes"]
    assert {one["artifact_id"] for one in shown} == {one.artifact_id for one in outcomes}
    assert len(shown) == 8
    assert all(one["checked"] for one in shown)


@pytest.mark.parametrize(
    "text", ["x" * 20_000, "row\n" * 400, "row\n" * 401, "é\n" * 3_000, "é" * 9_000]
)
@pytest.mark.parametrize("unit", ["line", "byte"])
def test_pieces_lead_to_the_end_of_an_artifact_and_no_further(text: str, unit: str) -> None:
    if unit == "line" and "\n" not in text:
        return
    store = FolderArtifacts()
    reference = store.put("query", text).artifact_id
    read, place, pieces = read_file(store).function, {"line": 1, "byte": 0}[unit], []
    while place is not None:
        piece = read(reference, **{f"first_{unit}": place})
        pieces.append(piece["text"])
        place = piece.get(f"next_{unit}")
    assert "".join(pieces) == text
