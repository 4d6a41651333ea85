"""Addresses of databases, as Django's settings take them."""

import pytest

from edictum_site.database import REPLICA, database, databases
from edictum_site.env import SettingInvalid

URL = "postgresql://user@host/name"


def test_a_lost_client_is_noticed_by_the_server(tmp_path):
    options = database(URL, tmp_path)["OPTIONS"]
    assert options["prepare_threshold"] == 5
    assert "tcp_keepalives_idle=10" in options["options"]


def test_behind_a_pooler_nothing_depends_on_a_session(tmp_path):
    pooled = database(f"{URL}?pool_mode=transaction", tmp_path)
    assert pooled["DISABLE_SERVER_SIDE_CURSORS"]
    assert pooled["OPTIONS"]["prepare_threshold"] is None
    assert not {"options", "pool_mode"} & pooled["OPTIONS"].keys()


def test_options_of_the_address_win(tmp_path):
    options = database(f"{URL}?connect_timeout=9&options=-c%20jit=off", tmp_path)["OPTIONS"]
    assert (options["connect_timeout"], options["options"]) == ("9", "-c jit=off")


def test_a_pool_mode_that_does_not_exist_is_one_sentence(tmp_path):
    with pytest.raises(SettingInvalid, match="pool_mode in DATABASE_URL must be session or"):
        database(f"{URL}?pool_mode=statement", tmp_path)


def test_a_replica_is_a_second_database_of_postgresql(tmp_path):
    assert databases(URL, "", tmp_path).keys() == {"default"}
    replica = databases(URL, "postgresql://standby/name", tmp_path)[REPLICA]
    assert (replica["HOST"], replica["OPTIONS"]["connect_timeout"]) == ("standby", 2)
    with pytest.raises(SettingInvalid, match="DATABASE_REPLICA_URL needs DATABASE_URL"):
        databases("", "postgresql://standby/name", tmp_path)
    with pytest.raises(SettingInvalid, match="DATABASE_REPLICA_URL must begin with"):
        databases(URL, "mysql://standby/name", tmp_path)
