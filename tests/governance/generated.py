"""Strategies for any contract and any call, for properties that hold for all of them.

Documents are in the new format and valid; `text_of` writes them in either. Calls use the same few
tools and arguments as the rules, so that rules match about half of the time.
"""

from typing import Any

import yaml
from hypothesis import strategies as st

from governance.evaluation.engine import ToolCall
from governance.texts.dialect import Dialect
from tests.governance.dialects import to_old

NAMES_OF_TOOLS = ["bash", "Bash", "read_file", "Read", "fetch", "mcp_mail"]
TOOLS = st.sampled_from(NAMES_OF_TOOLS)
PATTERNS = TOOLS | st.sampled_from(["*", "*", "mcp_*", "r*", "[Rr]ead*", "?etch"])
TEXTS = st.sampled_from(
    [
        "",
        "a",
        "/srv/a.txt",
        "/srv/../etc/passwd",
        "rm -rf /",
        "ls /srv; cat /etc/passwd",
        "curl https://b.test/x",
        "https://a.test/",
        "no",
        "12",
        "é: # not a comment",
        "line\nline",
        "\U0001f600",
    ]
) | st.text(max_size=6)
NUMBERS = st.integers(-3, 3) | st.sampled_from([0.5, 2**70])
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS
REGEXES = st.sampled_from([r"\brm\b", "^/etc/", "a|b", r"(?i)SRV", r"\d{2,}", r"[^\x00-\x7f]", "."])
SELECTORS = st.sampled_from(
    [
        "args.path",
        "args.command",
        "args.url",
        "args.n",
        "args.deep.er",
        "environment",
        "tool.name",
        "principal.role",
        "principal.user_id",
        "principal.service_id",
        "principal.org_id",
        "principal.ticket_ref",
        "principal.claims.team",
        "metadata.x",
        "env.EDICTUM_SITE_TESTS_SET_NO_SUCH_NAME",
        "nobody.knows",
    ]
)


def _operators(name: str, operand: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return operand.map(lambda value: {name: value})


def _some(items: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(items, min_size=1, max_size=3)


OPERATORS = st.one_of(
    _operators("exists", st.booleans()),
    *(_operators(name, SCALARS) for name in ("equals", "not_equals")),
    *(_operators(name, _some(SCALARS)) for name in ("in", "not_in")),
    *(_operators(name, TEXTS) for name in ("contains", "starts_with", "ends_with")),
    _operators("contains_any", _some(TEXTS)),
    _operators("matches", REGEXES),
    _operators("matches_any", _some(REGEXES)),
    *(_operators(name, NUMBERS) for name in ("gt", "gte", "lt", "lte")),
)


def _conditions(selectors: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    leaf = st.builds(lambda selector, operator: {selector: operator}, selectors, OPERATORS)
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"all": parts}),
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"any": parts}),
            inner.map(lambda part: {"not": part}),
        ),
        max_leaves=4,
    )


MESSAGES = st.sampled_from(
    [
        "No.",
        "{tool.name} in {environment}",
        "{args.path} is not yours, {principal.role}",
        "{output.text}",
        "deny",
        "{",
        "{env.PATH}",
    ]
)
MODES = st.sampled_from(["enforce", "observe"])
COMMON = {"enabled": st.booleans(), "mode": MODES}
EXTRAS = {
    "tags": st.lists(st.sampled_from(["deny", "contracts"]), max_size=2),
    "metadata": st.dictionaries(st.sampled_from(["effect", "action", "x"]), TEXTS, max_size=2),
}
TIMEOUTS = {"timeout": st.integers(1, 900), "timeout_action": st.sampled_from(["block", "allow"])}


def _then(*actions: str, **optional: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    needed = {"action": st.sampled_from(actions), "message": MESSAGES}
    return st.fixed_dictionaries(needed, optional=EXTRAS | optional)


PRE = st.fixed_dictionaries(
    {
        "type": st.just("pre"),
        "tool": PATTERNS,
        "when": _conditions(SELECTORS),
        "then": _then("block", "ask", **TIMEOUTS),
    },
    optional=COMMON,
)
POST = st.fixed_dictionaries(
    {
        "type": st.just("post"),
        "tool": PATTERNS,
        "when": _conditions(SELECTORS | st.just("output.text")),
        "then": _then("warn", "redact", "block"),
    },
    optional=COMMON,
)
LIMITS = st.fixed_dictionaries(
    {},
    optional={
        "max_tool_calls": st.integers(1, 300),
        "max_attempts": st.integers(1, 600),
        "max_calls_per_tool": st.dictionaries(PATTERNS, st.integers(1, 9), min_size=1, max_size=2),
    },
).filter(bool)
SESSION = st.fixed_dictionaries(
    {"type": st.just("session"), "limits": LIMITS, "then": _then("block")}, optional=COMMON
)
SANDBOX = st.builds(
    lambda rule, tools, bounds: rule | tools | bounds,
    st.fixed_dictionaries(
        {"type": st.just("sandbox"), "message": MESSAGES},
        optional=COMMON | TIMEOUTS | {"outside": st.sampled_from(["block", "ask"])},
    ),
    PATTERNS.map(lambda tool: {"tool": tool}) | _some(PATTERNS).map(lambda tools: {"tools": tools}),
    st.sampled_from(
        [
            {"within": ["/srv"]},
            {"within": ["/srv", "/etc"], "not_within": ["/etc/passwd"]},
            {"allows": {"commands": ["ls", "curl"]}},
            {"allows": {"domains": ["a.test", "*.b.test"]}, "not_allows": {"domains": ["b.test"]}},
            {"within": ["/srv"], "allows": {"commands": ["ls"], "domains": ["a.test"]}},
        ]
    ),
)
TOOL = st.fixed_dictionaries(
    {"side_effect": st.sampled_from(["pure", "read", "write", "irreversible"])},
    optional={"idempotent": st.booleans()},
)
OTEL = st.fixed_dictionaries(
    {"enabled": st.just(value=False)},
    optional={
        "endpoint": st.just("http://127.0.0.1:4317"),
        "protocol": st.sampled_from(["grpc", "http"]),
        "service_name": st.just("contracts"),
        "insecure": st.booleans(),
        "resource_attributes": st.just({"effect": "deny"}),
    },
)
RULES = st.lists(PRE | PRE | POST | SANDBOX | SESSION, min_size=1, max_size=5)
# One rule that most calls match: among several rules on other inputs it would never decide.
MET = st.sampled_from(
    [
        {"tool.name": {"exists": True}},
        {"environment": {"not_in": ["test"]}},
        {"args.path": {"gt": 1}},  # cannot be evaluated on text
    ]
)
LONE = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("pre"), "when": MET, "then": _then("block", "ask", **TIMEOUTS)}
    ),
    st.fixed_dictionaries(
        {"type": st.just("post"), "when": MET, "then": _then("warn", "redact", "block")}
    ),
    st.fixed_dictionaries(
        {"type": st.just("sandbox"), "within": st.just(["/nowhere"]), "message": MESSAGES},
        optional={"outside": st.sampled_from(["block", "ask"]), "mode": st.just("observe")},
    ),
).map(lambda rule: [rule | {"tool": "*"}])
MORE = st.fixed_dictionaries(
    {},
    optional={
        "tools": st.dictionaries(TOOLS, TOOL, max_size=3),
        "observe_alongside": st.booleans(),
        # Only settings without output: the library in the test process would write it, too.
        "observability": st.fixed_dictionaries(
            {"otel": OTEL, "stdout": st.just(value=False), "file": st.none()}
        ),
    },
)
# Output is redacted only for read tools: without a declared side effect it is not.
ALL_READ = st.just({"tools": {name: {"side_effect": "read"} for name in NAMES_OF_TOOLS}})


def _documents(
    rules: st.SearchStrategy[list[dict[str, Any]]], more: st.SearchStrategy[dict[str, Any]]
) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        lambda rules, mode, more: (
            {
                "apiVersion": "edictum/v1",
                "kind": "Ruleset",
                "metadata": {"name": "generated", "description": "deny: block"},
                "defaults": {"mode": mode},
                "rules": [{"id": f"rule-{place}"} | rule for place, rule in enumerate(rules)],
            }
            | more
        ),
        rules,
        MODES,
        more,
    )


DOCUMENTS = _documents(RULES, MORE) | _documents(LONE, ALL_READ)

VALUES = SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(TEXTS, SCALARS, max_size=2)
ARGUMENT: dict[Any, st.SearchStrategy[Any]] = {
    "path": st.just("/etc/hosts") | TEXTS | VALUES,
    "command": TEXTS | VALUES,
    "url": TEXTS | VALUES,
    "n": NUMBERS | VALUES,
    "deep": st.fixed_dictionaries({"er": VALUES}) | VALUES,
}
ARGUMENTS = st.fixed_dictionaries({}, optional=ARGUMENT) | st.fixed_dictionaries(ARGUMENT)
NAMES = st.none() | TEXTS
PRINCIPALS = st.none() | st.fixed_dictionaries(
    {"role": NAMES},
    optional={
        "user_id": NAMES,
        "service_id": NAMES,
        "org_id": NAMES,
        "ticket_ref": NAMES,
        "claims": st.dictionaries(st.just("team"), VALUES, max_size=1),
    },
)
CALLS = st.builds(
    ToolCall,
    tool_name=TOOLS,
    tool_args=ARGUMENTS,
    principal=PRINCIPALS,
    output=st.none() | TEXTS,
    environment=st.sampled_from(["production", "staging"]),
)


class Plain(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def text_of(document: dict[str, Any], dialect: Dialect = Dialect.NEW, **style: Any) -> str:
    shown = document if dialect is Dialect.NEW else to_old(document)
    return str(yaml.dump(shown, Dumper=Plain, sort_keys=False, **style))
