"""The document that blocks every call, in force while an agent or an environment is stopped."""

from hashlib import sha256

from governance.texts.dialect import Dialect
from governance.texts.document import read_document

MESSAGE = "Stopped by an operator of the console: no tool may be called until the stop is lifted."

# Changing a byte changes its hash, by which events of stopped agents are known.
_IN_NEW = f"""\
apiVersion: edictum/v1
kind: Ruleset
metadata:
  name: stopped
  description: Blocks every call while a stop stands
defaults:
  mode: enforce
rules:
  - id: stopped
    type: pre
    mode: enforce
    tool: "*"
    when:
      tool.name: {{exists: true}}
    then:
      action: block
      message: "{MESSAGE}"
"""
_DOCUMENT = read_document(_IN_NEW)

STOPPED = {dialect: _DOCUMENT.text_in(dialect).encode() for dialect in Dialect}
STOPPED_HASHES = {dialect: sha256(STOPPED[dialect]).hexdigest() for dialect in Dialect}


def is_stopped_by(policy_version: str | None) -> bool:
    """Whether an agent that reports this version has taken the stop."""
    return policy_version is not None and policy_version.lower() in STOPPED_HASHES.values()
