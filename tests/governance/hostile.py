"""Every way to submit a contract's YAML, used by an attacker."""

import html
import io
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from governance.core.roles import Role
from governance.models import Bundle, Draft, Project
from tests import builders
from tests.governance.casing import TEXT, a_case, added, saved

Answer: TypeAlias = tuple[int, str]  # the status, and the text that a person or a pipeline reads
CALL: dict[str, Any] = {"tool_name": "t", "tool_args": {}}


class House(NamedTuple):
    """A project with one contract that has a test, and clients that use it."""

    project: Project
    bundle: Bundle
    editor: Client
    manager: Client
    folder: Path

    def page(self, view: str, /, *at: object, **fields: object) -> Answer:
        address = reverse(view, args=[self.project.slug, *at])
        return read(self.editor.post(address, fields, follow=True))

    def tidy(self) -> None:
        Draft.objects.all().delete()
        (self.folder / "bad.yaml").unlink(missing_ok=True)

    def api(self, path: str, *, method: str = "post", **body: object) -> Answer:
        # JSON escapes lone surrogates, which the test client would not send.
        sent = getattr(self.manager, method)
        return read(sent(f"/v1/{path}", json.dumps(body), content_type="application/json"))


def a_house(project: Project, folder: Path) -> House:
    bundle = saved(project).bundle
    added(bundle, a_case())
    return House(
        project,
        bundle,
        builders.signed_in(builders.a_member(project, Role.EDITOR).user),
        builders.bearing(builders.a_key(project, "manage")[0]),
        folder,
    )


def read(response: Any) -> Answer:
    """The status and the text without tags, as a person reads it."""
    text = response.content.decode()
    if response.headers["Content-Type"].startswith("application/json"):
        return response.status_code, json.dumps(response.json(), ensure_ascii=False)
    without_tags = re.sub(r"<[^>]*>", "", text)
    return response.status_code, " ".join(html.unescape(without_tags).split())


Door: TypeAlias = Callable[[House, str], Answer]


def _new_draft(house: House, text: str) -> Iterator[Answer]:
    """Responses to creating a draft from pasted text and saving it in the editor."""
    yield house.page("governance:new_contract", text=text)
    draft = Draft.objects.filter(bundle=None).first()
    if draft is not None:
        yield house.page(
            "governance:edit_new_draft", draft.pk, text=text, seen=draft.revision, act="save"
        )


def _last(door: Callable[[House, str], Iterator[Answer]]) -> Door:
    return lambda house, text: list(door(house, text))[-1]


def _upload(house: House, text: str) -> Iterator[Answer]:
    file = SimpleUploadedFile("bad.yaml", text.encode(errors="surrogatepass"))
    yield house.page("governance:new_contract", file=file)
    if Draft.objects.filter(bundle=None).exists():
        yield from _new_draft(house, text)


def _command(action: str) -> Door:
    def run(house: House, text: str) -> Answer:
        (house.folder / "bad.yaml").write_bytes(text.encode(errors="surrogatepass"))
        output = io.StringIO()
        words = [action, str(house.folder), "--project", house.project.slug]
        with suppress(CommandError):
            call_command(
                "contracts",
                *words,
                *(["--yes"] if action == "push" else []),
                stdout=output,
                stderr=output,
            )
            return 200, output.getvalue()
        return 422, output.getvalue()

    return run


def _playground(house: House, text: str) -> Iterator[Answer]:
    yield _autosave(house, text)
    call = {"tool": "t", "args": "{}", "environment": "production", "version": "draft"}
    yield house.page("governance:playground_result", "d", **call)


def _cases(house: House, text: str) -> Iterator[Answer]:
    yield _autosave(house, text)
    address = reverse("governance:cases", args=[house.project.slug, "d"])
    yield read(house.editor.get(f"{address}?version=draft"))


def _autosave(house: House, text: str) -> Answer:
    return house.page("governance:keep_draft", "d", text=text, base=1, seen="")


# Routes that reject a text or report its problems.
TELLING: dict[str, Door] = {
    "editor, saved": lambda h, text: h.page(
        "governance:edit_draft", "d", text=text, base=1, seen="", act="save", message=""
    ),
    "editor, as it is typed": lambda h, text: h.page(
        "outcomes:check_contract", text=text, bundle="d", base=1
    ),
    "new contract, pasted": _last(_new_draft),
    "new contract, uploaded": _last(_upload),
    "API, saved": lambda h, text: h.api("contracts", yaml=text),
    "API, validated": lambda h, text: h.api("contracts/validate", yaml=text),
    "API, evaluated": lambda h, text: h.api("contracts/evaluate", yaml=text, **CALL),
    "API, explained": lambda h, text: h.api("contracts/explain", yaml=text, **CALL),
    "API, compared": lambda h, text: h.api("contracts/d/compare", yaml=text),
    "API, its tests": lambda h, text: h.api("contracts/d/cases/run", yaml=text),
    "API, backtested": lambda h, text: h.api("contracts/backtests", yaml=text),
    "backtest beside the editor": lambda h, text: h.page(
        "outcomes:backtest_text", text=text, bundle="d", base=1
    ),
    "push": _command("push"),
    "check": _command("check"),
}
# Routes that accept an invalid draft: stored or rejected, it must not affect others.
KEEPING: dict[str, Door] = {
    "editor, kept": _autosave,
    "playground": _last(_playground),
    "tests": _last(_cases),
}
# A valid text, submitted afterwards.
FINE = TEXT
