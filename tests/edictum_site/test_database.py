"""Database URLs, parsed into Django's settings."""

import pytest

from edictum_site.database import REPLICA, database, databases
from edictum_site.env import SettingInvalid

URL = "postgresql://user@host/name"


def test_the_connection_options_enable_tcp_keepalives(tmp_path):
    options = database(URL, tmp_path)["OPTIONS"]
    assert options["prepare_threshold"] == 5
    assert "tcp_keepalives_idle=10" in options["options"]


def test_transaction_pooling_disables_session_features(tmp_path):
    pooled = database(f"{URL}?pool_mode=transaction", tmp_path)
    assert pooled["DISABLE_SERVER_SIDE_CURSORS"]
    assert pooled["OPTIONS"]["prepare_threshold"] is None
    assert not {"options", "pool_mode"} & pooled["OPTIONS"].keys()


def test_options_in_the_url_take_precedence(tmp_path):
    options = database(f"{URL}?connect_timeout=9&options=-c%20jit=off", tmp_path)["OPTIONS"]
    assert (options["connect_timeout"], options["options"]) == ("9", "-c jit=off")


def test_an_unknown_pool_mode_is_rejected_with_a_message(tmp_path):
    with pytest.raises(SettingInvalid, match="pool_mode in DATABASE_URL must be session or"):
        database(f"{URL}?pool_mode=statement", tmp_path)


def test_a_replica_is_configured_as_a_second_postgresql_database(tmp_path):
    assert databases(URL, "", tmp_path).keys() == {"default"}
    replica = databases(URL, "postgresql://standby/name", tmp_path)[REPLICA]
    assert (replica["HOST"], replica["OPTIONS"]["connect_timeout"]) == ("standby", 2)
    with pytest.raises(SettingInvalid, match="DATABASE_REPLICA_URL needs DATABASE_URL"):
        databases("", "postgresql://standby/name", tmp_path)
    with pytest.raises(SettingInvalid, match="DATABASE_REPLICA_URL must begin with"):
        databases(URL, "mysql://standby/name", tmp_path)
