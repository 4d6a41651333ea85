"""Fields that the rules about one tool read from calls in raw JSON."""

import msgspec

from governance.core.json_value import Json
from governance.core.masks.marks import MARK_BEGINS
from outcomes.backtesting.domain.rule_reads import RuleReads, missing, reads_about
from outcomes.backtesting.replay.contents import Content

Lacks = tuple[tuple[str, str], ...]

_by_name = msgspec.json.Decoder(dict[str, msgspec.Raw])
_any = msgspec.json.Decoder()
# A masked or truncated argument contains one of these; the last can be any escaped character.
_MARKS = (b"REDACTED", MARK_BEGINS.encode(), b'..."', b"\\u00")


class FieldReader:
    def __init__(self, rules: tuple[RuleReads, ...], tool: str) -> None:
        about = reads_about(rules, tool)
        self.rules = about.rules
        self.principal, self.output = bool(about.principal), about.output
        self.any_arguments = about.any_arguments
        self._all_arguments = about.all_arguments
        self._arguments = tuple(sorted(about.arguments))
        self._principal = tuple(sorted(about.principal))
        self._lacks: dict[tuple[bool, bool], Lacks] = {}

    def key_of(self, content: Content) -> bytes:
        """Cache key: calls that agree on the fields these rules read get the same answer."""
        return b"\0".join([self._argument_key(content), self._principal_key(content)])

    def lacks(self, content: Content, *, output: bool) -> Lacks:
        """Each rule with the fields that it reads and this call lacks; `output` says whether the
        output is available. Calls without masked values share one result."""
        arguments = content.arguments
        if arguments is not None and any(mark in arguments for mark in _MARKS):
            return self._lacking(_any.decode(arguments), output=output)
        key = (arguments is None, output)
        known = self._lacks.get(key)
        if known is None:
            none: Json = None if arguments is None else {}
            known = self._lacks[key] = self._lacking(none, output=output)
        return known

    def _lacking(self, arguments: Json, *, output: bool) -> Lacks:
        return tuple(
            (rule.id, what)
            for rule in self.rules
            for what in missing(rule, arguments, output=output)
        )

    def _argument_key(self, content: Content) -> bytes:
        arguments = content.arguments
        if arguments is None or not self.any_arguments:
            return b""
        if self._all_arguments or not arguments.startswith(b"{"):
            return arguments
        given = _by_name.decode(arguments)
        return b"\0".join([b"{", *(given.get(name, b"") for name in self._arguments)])

    def _principal_key(self, content: Content) -> bytes:
        if content.principal is None or not self.principal:
            return b""
        given = _by_name.decode(content.principal)
        return b"\0".join([b"{", *(given.get(name, b"") for name in self._principal)])
