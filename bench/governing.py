"""A contract for the calls of a bench, so that their sessions have limits."""

import json

from bench.site import Site

CONTRACT = """\
apiVersion: edictum/v1
kind: Ruleset
metadata: {name: bench}
defaults: {mode: enforce}
rules:
  - id: no-secrets
    type: pre
    tool: read_file
    when: {args.path: {contains: .env}}
    then: {action: block, message: Not that file.}
  - id: enough
    type: session
    limits: {max_attempts: 120, max_tool_calls: 60, max_calls_per_tool: {send_mail: 5}}
    then: {action: block, message: Enough for one session.}
"""


class NotGoverned(Exception):
    """The contract could not be saved or deployed."""


def deploy(site: Site) -> str:
    """Save and deploy the contract; return the revision hash that agents report."""
    hashes = []
    for path, body in (
        ("/v1/contracts", {"yaml": CONTRACT}),
        ("/v1/contracts/bench/deployments", {"version": 1, "env": "production"}),
    ):
        status, answer = site.ask("POST", path, body)
        if status != 201:
            raise NotGoverned(f"{path} answered {status}: {answer}")
        hashes.append(str(json.loads(answer).get("revision_hash", "")))
    return hashes[0]
