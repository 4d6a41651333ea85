"""Metrics named in the docs, the dashboard and the alert rules exist in a scrape."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml

from edictum_site.metrics.domain import METRICS, About, Kind, Metric
from edictum_site.program.place import BASE

DOCS = BASE / "docs/metrics.md"
PROMETHEUS = BASE / "deploy/prometheus"
RULES = PROMETHEUS / "edictum-site-alerts.yaml"
FIRING = Path(__file__).with_name("alerts.test.yaml")
DASHBOARD = BASE / "deploy/grafana/edictum-site.json"
HEADINGS = {
    About.PROJECT: "### Of projects",
    About.INSTALLATION: "### Of the installation",
    About.PROCESS: "### Of the web that answers",
}
SUFFIXES = ("_bucket", "_sum", "_count")
# Grafana's variables, with values that it could substitute.
VARIABLES = {"$__rate_interval": "5m", "$project": ".*", "$environment": ".*"}


def rows(about: About) -> list[str]:
    return [
        f"| `{each.name}` | {each.kind} | {labels_of(each)} | {each.text} |"
        for each in METRICS
        if each.about is about
    ]


def labels_of(metric: Metric) -> str:
    return ", ".join(f"`{label}`" for label in metric.labels) or "none"


@pytest.mark.parametrize("about", About)
def test_the_docs_list_every_metric_with_its_type_labels_and_meaning(about):
    section = DOCS.read_text().split(HEADINGS[about])[1].split("\n#")[0]
    listed = [line for line in section.splitlines() if line.startswith("| `")]
    assert listed == rows(about)


def test_the_docs_count_the_alert_rules():
    assert f"{len(rules())} alert rules" in DOCS.read_text()


def rules() -> list[dict[str, Any]]:
    return [
        rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]
    ]


def queries() -> list[str]:
    """Queries of the alert rules and of every panel."""
    panels = json.loads(DASHBOARD.read_text())["panels"]
    listed = [target["expr"] for panel in panels for target in panel.get("targets", ())]
    for name, value in VARIABLES.items():
        listed = [each.replace(name, value) for each in listed]
    return listed + [rule["expr"] for rule in rules()]


def selectors(parsed: Any) -> Iterator[Any]:
    """Vector selectors in an expression, at any depth."""
    if isinstance(parsed, promql_parser.VectorSelector):
        yield parsed
    for name in ("expr", "lhs", "rhs", "vector_selector", "args"):
        part = getattr(parsed, name, None)
        for each in part if isinstance(part, list) else [part]:
            if each is not None:
                yield from selectors(each)


def test_every_query_is_valid_promql_with_existing_metrics_and_labels():
    known: dict[str, frozenset[str]] = {}
    for metric in METRICS:
        names = [metric.name]
        if metric.kind is Kind.HISTOGRAM:
            names = [metric.name + suffix for suffix in SUFFIXES]
        known |= {name: frozenset(metric.labels) for name in names}
    known["up"] = frozenset({"job"})
    used = set()
    for query in queries():
        selected = list(selectors(promql_parser.parse(query)))
        assert selected, query
        for each in selected:
            assert each.name in known, query
            assert {matcher.name for matcher in each.matchers.matchers} <= known[each.name], query
            used.add(each.name)
    assert len(used) > 25


def test_every_panel_has_a_position_a_title_and_a_query():
    dashboard = json.loads(DASHBOARD.read_text())
    panels = [each for each in dashboard["panels"] if each["type"] != "row"]
    assert len({each["id"] for each in dashboard["panels"]}) == len(dashboard["panels"])
    places = [(each["gridPos"]["x"], each["gridPos"]["y"]) for each in panels]
    assert len(set(places)) == len(panels) == len({each["title"] for each in panels})
    assert all(each["targets"] for each in panels)


def test_every_label_in_an_alert_annotation_exists_in_its_query():
    """A label that an aggregation drops would be empty in the message."""
    for rule in rules():
        named = set(re.findall(r"\$labels\.(\w+)", " ".join(rule["annotations"].values())))
        grouped = set(re.findall(r"by \(([^)]*)\)", rule["expr"]))
        left = {label.strip() for group in grouped for label in group.split(",")}
        if not grouped:
            left = {"instance", "disk"}
        assert named <= left, rule["alert"]


@pytest.mark.parametrize(("command", "file"), [("check", RULES), ("test", FIRING)])
def test_promtool_accepts_the_rules_and_they_fire(command, file):
    if not (promtool := shutil.which("promtool")):
        pytest.skip("promtool is not installed: package prometheus")
    run = [promtool, command, "rules", str(file)]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_scrape_config_has_the_right_path_and_rule_files():
    job = yaml.safe_load((PROMETHEUS / "prometheus.yaml").read_text())
    (scraped,) = job["scrape_configs"]
    assert (scraped["job_name"], scraped["metrics_path"]) == ("edictum-site", "/metrics")
    assert [PROMETHEUS / name for name in job["rule_files"]] == [RULES]
