"""No document and no call can harm the server or another request's result."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from governance.core.errors import DocumentInvalid, EvaluationLimit
from governance.evaluation.engine import Engine
from tests.governance.contracts.documents import ALWAYS, EVIL, EVIL_TEXT, call, document, post, pre

ROOT = Path(__file__).parents[3]


def test_a_runaway_pattern_is_stopped_and_the_next_result_is_correct(engine):
    with pytest.raises(EvaluationLimit) as stopped:
        engine.evaluate_call(EVIL, call(x=EVIL_TEXT))
    assert stopped.value.code == "evaluation_limit"
    assert engine.evaluate_call(EVIL, call(x="aaa")).decision == "block"


def test_a_runaway_call_does_not_affect_other_results(engine):
    texts = ["aaa", "b", EVIL_TEXT, "aaa"]
    results = engine.evaluate(EVIL, [call(x=text) for text in texts])
    assert [getattr(result, "decision", "stopped") for result in results] == [
        "block",
        "allow",
        "stopped",
        "block",
    ]


def test_one_budget_covers_all_work_for_a_document():
    rules = [pre(f"{{args.x: {{matches: '(a+)+b{n}$'}}}}", rule_id=f"r{n}") for n in range(500)]
    with Engine(load_seconds=0.05, base_seconds=60.0) as engine:
        assert engine.validate(document(pre(ALWAYS))).valid
        before = engine.pid
        with pytest.raises(EvaluationLimit, match="took too long"):
            engine.validate(document(*rules))
        assert engine.validate(document(pre(ALWAYS, rule_id="b"))).valid
        assert engine.pid == before


def test_evaluation_processes_run_at_lower_priority(engine):
    engine.validate(document(pre(ALWAYS)))
    assert os.getpriority(os.PRIO_PROCESS, engine.pid) >= 5
    for weight in Path(f"/proc/{engine.pid}").glob("autogroup"):  # autogroup scheduling only
        assert int(weight.read_text().rpartition(" ")[2]) >= 5


def test_a_process_in_a_shared_session_does_not_lower_its_scheduling_weight():
    program = (
        f"import sys; sys.path.append({str(ROOT)!r})\n"
        "from governance.evaluation.evaluator.confinement import stand_back\n"
        "stand_back()"
    )
    weights = list(Path("/proc/self").glob("autogroup"))  # empty without autogroup scheduling
    before = [weight.read_text() for weight in weights]
    subprocess.run([sys.executable, "-I", "-c", program], check=True)
    assert [weight.read_text() for weight in weights] == before


def test_rules_cannot_read_the_servers_environment(engine, monkeypatch):
    monkeypatch.setenv("SECRET", "hunter2")
    names = ["SECRET", "PATH", "HOME", "LC_CTYPE"]
    seen = ", ".join(f"{{env.{name}: {{exists: true}}}}" for name in names)
    text = document(
        pre(f"{{any: [{seen}]}}", rule_id="sees"),
        pre(ALWAYS, rule_id="says", message="{env.SECRET}"),
    )
    with Engine() as fresh:
        sees, says = fresh.evaluate_call(text, call()).rules
        environment = Path(f"/proc/{fresh.pid}/environ").read_bytes()
    assert sees.passed
    assert says.message == "{env.SECRET}"
    assert environment == b""


def test_the_process_cannot_open_more_files(engine):
    engine.validate(document(pre(ALWAYS)))
    limits = Path(f"/proc/{engine.pid}/limits").read_text().splitlines()
    (most,) = (int(line.split()[3]) for line in limits if line.startswith("Max open files"))
    assert len(list(Path(f"/proc/{engine.pid}/fd").iterdir())) == most


@pytest.mark.parametrize(
    "attempt",
    ["open('/etc/hostname')", "open('/proc/self/environ')", "__import__('socket').socket()"],
)
def test_opening_a_file_or_a_socket_fails_once_confined(attempt):
    program = (
        f"import sys, socket; sys.path.append({str(ROOT)!r})\n"
        "from governance.evaluation.evaluator.confinement import confine\n"
        "confine(512 * 1024 * 1024)\n"
        f"try: {attempt}\n"
        "except OSError as error: print(error.errno)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "24"  # EMFILE


def test_a_log_file_named_in_a_contract_is_not_created(engine, tmp_path):
    log = tmp_path / "audit.jsonl"
    text = document(pre(ALWAYS), more=f"observability: {{file: {log}}}")
    assert engine.evaluate_call(text, call()).decision == "block"
    assert not log.exists()


@pytest.mark.slow
def test_a_memory_limit_stops_the_call_and_the_next_result_is_correct():
    text = document(post("warn"))
    with Engine(memory=160 * 1024 * 1024) as small:
        with pytest.raises(EvaluationLimit):
            small.evaluate_call(text, call(output="x" * 100_000_000))
        assert small.evaluate_call(text, call(output="a secret")).decision == "warn"


LAUGHS = "a: &a [x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefg", "bcdefgh", strict=True)
)
HOSTILE = {
    "an alias bomb": (LAUGHS, "Anchors (&name) are not supported", 1, 4),
    "an anchor": (document(pre("&when " + ALWAYS)), "Anchors (&name) are not supported", 7, 41),
    "an alias": (document(pre("*when")), "Aliases (*name) are not supported", 7, 41),
    "a merge key": (
        document("{id: a, <<: {type: pre}}"),
        "Merge keys (<<) are not supported",
        7,
        13,
    ),
    "two megabytes": ("a: " + "x" * 2_000_000, "has 2,000,003 bytes", 1, 524_289),
    "20,000 brackets": ("a: " + "[" * 20_000, "more than 50 levels", 1, 53),
    "conditions fifty deep": (document(pre("{not: " * 50)), "more than 50 levels", 7, 323),
    "a key twice": ("kind: Ruleset\nkind: Ruleset\n", "`kind` is defined twice", 2, 1),
    "tabs": ("kind:\n\tRuleset", "can't be indented with tabs", 2, 1),
    "a byte order mark": ("\ufeffkind: Ruleset", "byte order mark", 1, 1),
    "a NUL": ("kind: \0", "A NUL isn't allowed in YAML", 1, 7),
    "bytes that are no text": (b"kind: \xff", "not UTF-8", 1, 7),
    "an object of Python": (
        document(pre(ALWAYS)).replace("name: d", "name: !!python/object/apply:os.system [id]"),
        "put it in quotes",
        3,
        18,
    ),
    "an integer of 5,000 digits": (
        document(pre("{args.x: {gt: " + "9" * 5_000 + "}}")),
        "as a date, a number or a tag",
        7,
        55,
    ),
    "a pattern of 2,000 groups in each other": (
        document(pre("{args.x: {matches: '" + "(" * 2_000 + ")" * 2_000 + "'}}")),
        "nested too deeply",
        7,
        60,
    ),
    "a mistyped key": (
        document(pre(ALWAYS).replace("action", "acton")),
        "Unknown key `acton`. Did you mean `action`?",
        7,
        77,
    ),
}


@pytest.mark.parametrize("row", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_document_is_rejected_with_its_position_and_the_engine_continues(engine, row):
    text, words, line, column = row
    (problem,) = engine.validate(text).errors
    assert words in problem.message
    assert (problem.line, problem.column) == (line, column)
    assert engine.evaluate_call(document(pre(ALWAYS)), call()).decision == "block"


def test_calls_against_an_invalid_document_are_not_evaluated(engine):
    with pytest.raises(DocumentInvalid) as refused:
        engine.evaluate_call(document("{id: a}"), call())
    assert refused.value.errors[0].line == 7


def test_conditions_nested_40_deep_are_evaluated(engine):
    text = document(pre("{not: " * 40 + ALWAYS + "}" * 40))
    assert engine.evaluate_call(text, call()).decision == "block"


SERVER = """
import os, sys, threading, time
from governance.evaluation.engine import Engine, ToolCall

text, x = sys.argv[1:]
engine = Engine()
engine.validate(text)
call = ToolCall(tool_name="t", tool_args={"x": x})
threading.Thread(target=engine.evaluate_call, args=[text, call], daemon=True).start()
time.sleep(0.3)
print(engine.pid, flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("x", ["aaa", EVIL_TEXT], ids=["idle", "busy"])
def test_the_process_does_not_outlive_its_server(x):
    command = [sys.executable, "-c", SERVER, EVIL, x]
    server = subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    wait_for_the_end_of(int(server.stdout))


def wait_for_the_end_of(pid: int) -> None:
    while True:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return
        if state in "ZX":  # it may remain a zombie if nothing reaps it
            return
        time.sleep(0.05)
