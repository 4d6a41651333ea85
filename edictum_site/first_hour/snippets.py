"""What a developer copies to send a first outcome, in four languages; a test runs each of them."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from governance.people.domain import AN_AGENT


class Snippet(NamedTuple):
    command: str  # before it, or to run it
    text: str
    file: str  # empty: it is a command itself


_PYTHON = """\
import asyncio
from edictum import Edictum
from edictum.server import EdictumServerClient, ServerAuditSink

client = EdictumServerClient(
    "{url}",
    "{key}",
    agent_id="{agent}", env="{env}",
)
sink = ServerAuditSink(client)
guard = Edictum(environment="{env}", audit_sink=sink)

def hello(name):  # any tool of yours
    return f"hello {{name}}"

async def main():
    print(await guard.run("hello", {{"name": "console"}}, hello))
    await sink.flush()

asyncio.run(main())"""
_TYPESCRIPT = """\
const outcome = {{
  type: "execution_result", call_id: crypto.randomUUID(), tool_name: "hello", output: "it works",
  agent_id: "{agent}", session_id: "my-first-session",
}};
const answer = await fetch("{url}/v1/outcomes", {{
  method: "POST",
  headers: {{ authorization: "Bearer {key}", "content-type": "application/json" }},
  body: JSON.stringify({{ outcomes: [outcome] }}),
}});
console.log(answer.status, await answer.text());"""
_GO = """\
package main

import (
	"fmt"
	"net/http"
	"strings"
)

func main() {{
	body := strings.NewReader(`{{"outcomes": [{{
		"type": "execution_result", "call_id": "first-call", "tool_name": "hello",
		"output": "it works", "agent_id": "{agent}", "session_id": "my-first-session"}}]}}`)
	request, err := http.NewRequest("POST", "{url}/v1/outcomes", body)
	if err != nil {{
		panic(err)
	}}
	request.Header.Set("Authorization", "Bearer {key}")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {{
		panic(err)
	}}
	defer answer.Body.Close()
	fmt.Println(answer.Status)
}}"""
_CURL = """\
curl {url}/v1/outcomes -H "Authorization: Bearer {key}" -d '{{"outcomes": [{{
  "type": "execution_result", "call_id": "first-call", "tool_name": "hello", "output": "it works",
  "agent_id": "{agent}", "session_id": "my-first-session"}}]}}'"""

LANGUAGES: Final[Mapping[str, str]] = {
    "python": "Python",
    "typescript": "TypeScript",
    "go": "Go",
    "curl": "curl",
}
_SNIPPETS: Final[Mapping[str, Snippet]] = {
    "python": Snippet('pip install "edictum[yaml,server]"', _PYTHON, "first.py"),
    "typescript": Snippet("node first.mjs", _TYPESCRIPT, "first.mjs"),
    "go": Snippet("go run first.go", _GO, "first.go"),
    "curl": Snippet("", _CURL, ""),
}


def snippet(language: str, *, url: str, key: str, env: str, agent: str = AN_AGENT) -> Snippet:
    found = _SNIPPETS[language]
    return found._replace(text=found.text.format(url=url, key=key, env=env, agent=agent))
