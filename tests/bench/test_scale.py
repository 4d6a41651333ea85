"""The model of docs/scale.md: what it multiplies, and that the page says what the model says."""

import json
from pathlib import Path

import pytest

from bench.scale import DAY, Assumed, Costs, fleet_for, largest_rate_of_a_node, need, tables
from tests.docs.blocks import ROOT

MEASURED = ROOT / "docs/scale.json"
PAGE = ROOT / "docs/scale.md"
COSTS = Costs(10, 50, 40, 2_000, 500, 2_500, 0.5, 8)


def a_bench(**changed: object) -> dict[str, object]:
    costs = {
        "recount": "exact", "cpu_us": {"web": 10.0, "worker": 50.0, "database": 40.0},
        "bytes": {"outcomes_event": 1_500.0, "outcomes_posting": 500.0}, "wal_bytes": 2_500.0,
        "page_writes": 0.5, "connections": 8,
    }  # fmt: skip
    return {"stores": {"postgres": {"costs": costs | changed}}}


def test_costs_are_read_from_a_benchs_json():
    assert Costs.of(a_bench()) == COSTS


def test_a_run_that_was_not_exact_gives_no_costs():
    with pytest.raises(ValueError, match="was not exact"):
        Costs.of(a_bench(recount=["a call is missing"]))


def test_cores_and_log_grow_with_the_rate():
    small, large = need(COSTS, 1_000, 10**9), need(COSTS, 10_000, 10**9)
    assert large.web_cores == pytest.approx(10 * small.web_cores)
    assert small.settle_cores == pytest.approx(1_000 * 50e-6 / Assumed().busy)
    assert large.log_per_s == pytest.approx(25e6)


def test_a_node_is_limited_by_what_it_has_least_of():
    assert largest_rate_of_a_node(COSTS) == pytest.approx(150e6 / 2_500)
    few_cores = Assumed(node_cores=2)
    assert largest_rate_of_a_node(COSTS, few_cores) == pytest.approx(2 * 0.6 * 1e6 / 40)


def test_each_architecture_follows_where_the_one_before_ends():
    assert need(COSTS, 12, 12 * DAY * 90).step == "one machine"
    assert need(COSTS, 500, 3 * 10**9).step == "hosts"
    assert need(COSTS, 500, 10**11).step == "hosts and columns"
    assert need(COSTS, 100_000, 10**9).step == "Citus"
    assert need(COSTS, 20_000, 10**12).step == "Citus and columns"


def test_older_outcomes_move_to_columns_only_where_one_node_has_no_room():
    assert need(COSTS, 100, 7 * 10**9).column_bytes == 0
    beyond = need(COSTS, 100, 9 * 10**9)
    assert beyond.row_bytes == pytest.approx(100 * DAY * Assumed().hot_days * 2_000)
    assert beyond.column_bytes > 0


def test_a_shard_settles_no_more_than_a_node_can():
    assert fleet_for(COSTS, 100_000, 1).settle == largest_rate_of_a_node(COSTS)


def test_the_page_has_the_tables_that_the_model_makes_of_the_stored_run():
    text = PAGE.read_text()
    for table in tables(json.loads(Path(MEASURED).read_text())).split("\n\n"):
        assert table in text, "`python -m bench.scale` prints the tables of docs/scale.md"
