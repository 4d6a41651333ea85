"""Code that loads a contract in an agent: Python, TypeScript, Go and curl; tests run it."""

import json
import shlex
from collections.abc import Callable
from string import Template
from typing import Final, NamedTuple
from urllib.parse import quote, urlsplit

from governance.people.domain import AN_AGENT

CLIENT: Final = "./clients/python"  # path of the client in a checkout of the product
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class Snippet(NamedTuple):
    name: str  # part of element ids
    label: str
    command: str  # installs what the code needs; may be empty
    file: str  # empty if the code is a command itself
    code: str
    note: str = ""


class _Language(NamedTuple):
    name: str
    label: str
    command: str
    file: str
    code: str
    literal: Callable[[str], str]
    insecure: str  # extra option for HTTP without TLS to another machine
    note: str = ""


def _string(value: str) -> str:
    """String literal that is valid in Python, TypeScript and Go."""
    return json.dumps(value, ensure_ascii=False)


_CLIENT = """\
import asyncio

from edictum import Edictum, EdictumDenied
from edictum_site_client import Console

console = Console(
    $url,
    api_key=$key,
    agent_id=$agent,
)

def hello(name):  # your tool
    return f"hello {name}"

async def main():
    guard = await Edictum.from_server(
        console.url, $key, $agent,
        env=$env, bundle_name=$contract,$insecure
        **console.guard_options(),
    )
    try:
        print(await guard.run("hello", {"name": "you"}, hello))
    except EdictumDenied as denied:
        print("Denied:", denied.reason)
    await guard.close()

asyncio.run(main())"""
_PLAIN = """\
import asyncio

from edictum import Edictum, EdictumDenied

def hello(name):  # your tool
    return f"hello {name}"

async def main():
    guard = await Edictum.from_server(
        $url, $key, $agent,
        env=$env, bundle_name=$contract,$insecure
    )
    try:
        print(await guard.run("hello", {"name": "you"}, hello))
    except EdictumDenied as denied:
        print("Denied:", denied.reason)
    await guard.audit_sink.sinks[-1].close()  # sends the last events
    await guard.close()

asyncio.run(main())"""
_TYPESCRIPT = """\
import { createServerGuard } from "@edictum/server";

const hello = ({ name }) => `hello $${name}`; // your tool

const { guard, close } = await createServerGuard({
  url: $url,
  apiKey: $key,
  agentId: $agent,
  environment: $env,
  bundleName: $contract,$insecure
});
try {
  console.log(await guard.run("hello", { name: "console" }, hello));
} catch (denied) {
  console.log("Denied:", denied.message);
}
await close();"""
_GO = """\
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/edictum-ai/edictum-go/guard"
)

func hello(args map[string]any) (any, error) { // your tool
	return fmt.Sprint("hello ", args["name"]), nil
}

func main() {
	ctx := context.Background()
	g, err := guard.FromServer($url, $key, $agent,
		guard.WithEnvironment($env),
		guard.WithBundleName($contract),$insecure
	)
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close(ctx)
	fmt.Println(g.Run(ctx, "hello", map[string]any{"name": "console"}, hello))
}"""
_CURL = """\
curl -H $authorization \\
  -H $agent_header \\
  $address"""

_NO_OUTPUTS: Final = "SDKs report decisions, not outputs, so success checks have nothing to check."
_LANGUAGES: Final = (
    _Language(
        "python",
        "Python",
        'pip install "edictum[yaml,server]" $client',
        "agent.py",
        _CLIENT,
        _string,
        "allow_insecure=True,",
        "edictum-site-client also reports outputs, which success checks need.",
    ),
    _Language(
        "edictum",
        "Python, edictum only",
        'pip install "edictum[yaml,server]"',
        "agent.py",
        _PLAIN,
        _string,
        "allow_insecure=True,",
        _NO_OUTPUTS,
    ),
    _Language(
        "typescript",
        "TypeScript",
        "npm install @edictum/server @edictum/core",
        "agent.mjs",
        _TYPESCRIPT,
        _string,
        "allowInsecure: true,",
        _NO_OUTPUTS,
    ),
    _Language(
        "go",
        "Go",
        "go get github.com/edictum-ai/edictum-go",
        "main.go",
        _GO,
        _string,
        "guard.WithAllowInsecure(),",
        f"{_NO_OUTPUTS} The SDK sends events every 5 s, while the process lives.",
    ),
    _Language(
        "curl",
        "curl",
        "",
        "",
        _CURL,
        shlex.quote,
        "",
        "Returns the deployed version as JSON: yaml, version and revision_hash.",
    ),
)


def contract_snippets(
    contract: str,
    *,
    url: str,
    env: str,
    key: str = "",
    agent: str = AN_AGENT,
    client: str = CLIENT,
) -> list[Snippet]:
    """Code for agents of an environment, one snippet per language, with a placeholder if there is
    no `key`. `client` is what pip installs for edictum-site-client: a path or a URL."""
    key = key or f"edk_{env}_…"
    ruleset = f"{url}/v1/rulesets/{quote(contract, safe='')}/current?env={quote(env, safe='')}"
    values = {
        "url": url,
        "key": key,
        "agent": agent,
        "env": env,
        "contract": contract,
        "authorization": f"Authorization: Bearer {key}",
        "agent_header": f"X-Edictum-Agent-Id: {agent}",
        "address": ruleset,
    }
    return [_snippet(language, values, client) for language in _LANGUAGES]


def _snippet(language: _Language, values: dict[str, str], client: str) -> Snippet:
    literals = {name: language.literal(value) for name, value in values.items()}
    insecure = f" {language.insecure}" if needs_insecure(values["url"]) else ""
    return Snippet(
        language.name,
        language.label,
        Template(language.command).substitute(client=shlex.quote(client)),
        language.file,
        Template(language.code).substitute(literals, insecure=insecure),
        language.note,
    )


def needs_insecure(url: str) -> bool:
    """Whether SDKs need an option for this URL: by default, plain HTTP is for localhost only."""
    parts = urlsplit(url)
    return parts.scheme == "http" and parts.hostname not in _LOOPBACK
