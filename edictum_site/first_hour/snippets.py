"""Code snippets that report a first call with its output, in four languages. A test runs each."""

from typing import Final

from governance.contracts.domain.snippets import Snippet, needs_insecure
from governance.people.domain import AN_AGENT

_PYTHON = """\
from edictum_site_client import Console

console = Console("{url}",
                  api_key="{key}", agent_id="{agent}"{insecure})

@console.tool  # on each tool function
def crm_lookup(account):
    return {{"ok": True, "account": account}}

with console.session("my-first-session"):
    print(crm_lookup("A-2091"))"""
_TYPESCRIPT = """\
const call = {{
  type: "execution_result", call_id: crypto.randomUUID(), agent_id: "{agent}",
  session_id: "my-first-session", tool_name: "crm_lookup", tool_args: {{ account: "A-2091" }},
  output: {{ ok: true, account: "A-2091" }},
}};
const response = await fetch("{url}/v1/outcomes", {{
  method: "POST",
  headers: {{ authorization: "Bearer {key}", "content-type": "application/json" }},
  body: JSON.stringify({{ outcomes: [call] }}),
}});
console.log(response.status, await response.text());"""
_GO = """\
package main

import (
	"fmt"
	"net/http"
	"strings"
)

func main() {{
	body := strings.NewReader(`{{"outcomes": [{{
		"type": "execution_result", "call_id": "call-from-go", "agent_id": "{agent}",
		"session_id": "my-first-session", "tool_name": "crm_lookup",
		"tool_args": {{"account": "A-2091"}}, "output": {{"ok": true, "account": "A-2091"}}}}]}}`)
	request, err := http.NewRequest("POST", "{url}/v1/outcomes", body)
	if err != nil {{
		panic(err)
	}}
	request.Header.Set("Authorization", "Bearer {key}")
	response, err := http.DefaultClient.Do(request)
	if err != nil {{
		panic(err)
	}}
	defer response.Body.Close()
	fmt.Println(response.Status)
}}"""
_CURL = """\
curl {url}/v1/outcomes -H "Authorization: Bearer {key}" -d '{{"outcomes": [{{
  "type": "execution_result", "call_id": "call-from-curl", "agent_id": "{agent}",
  "session_id": "my-first-session", "tool_name": "crm_lookup",
  "tool_args": {{"account": "A-2091"}}, "output": {{"ok": true, "account": "A-2091"}}}}]}}'"""

_SNIPPETS: Final = (
    Snippet("python", "Python", 'pip install "{client}"', "first.py", _PYTHON),
    Snippet("typescript", "TypeScript", "node first.mjs", "first.mjs", _TYPESCRIPT),
    Snippet("go", "Go", "go run first.go", "first.go", _GO),
    Snippet("curl", "curl", "", "", _CURL),
)


def connect_snippets(url: str, *, key: str, client: str, agent: str = AN_AGENT) -> list[Snippet]:
    """Snippets with the given values. `client` is the URL of the wheel that pip installs."""
    values = {"url": url, "key": key, "agent": agent, "client": client}
    insecure = ", allow_insecure=True" if needs_insecure(url) else ""
    return [
        each._replace(
            command=each.command.format(**values),
            code=each.code.format(**values, insecure=insecure),
        )
        for each in _SNIPPETS
    ]
