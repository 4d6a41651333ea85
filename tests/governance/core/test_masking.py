"""Masking of secrets on display; text that only resembles a secret stays readable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.core.json_value import Json
from governance.core.masking import MASK, Masking, masked, masked_bytes, masked_text

SECRET_NAMES = [
    "password", "PASSWORD", "db_password", "userPassword", "api_key", "apiKey", "APIKey", "apikey",
    "X-Api-Key", "accessKey", "aws_secret_access_key", "client_secret", "access_token", "authToken",
    "Authorization", "cookie", "Set-Cookie", "private_key", "card_number", "cardNumber",
    "connection_string", "credentials", "jwt", "pin", "cvv", "ssn", "pwd", "passphrase",
]  # fmt: skip
PLAIN_NAMES = [
    "account", "amount", "command", "tokens", "max_tokens", "tokenizer", "keyboard", "key",
    "primary_key", "secretary", "passenger", "pinned", "spin", "compass", "monkey", "author",
]  # fmt: skip
SECRET_TEXTS = [
    ("Authorization: Bearer abcdef0123456789", "Authorization: Bearer [masked]"),
    ("curl -u x https://bob:hunter2@example.test/a", "curl -u x https://bob:[masked]@example.test/a"),
    ("mysql --password=hunter2 -h db", "mysql --password=[masked] -h db"),
    ('{"api_key": "0123456789"}', '{"api_key": "[masked]"}'),
    ("pay with 4111 1111 1111 1111 now", "pay with [masked] now"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "[masked]"),
    ("key AKIAABCDEFGHIJKLMNOP in use", "key [masked] in use"),
    ("edk_production_" + "aB3" * 14, "[masked]"),
    ("ghp_" + "a1" * 18, "[masked]"),
    ("sk-proj-" + "a1" * 18, "[masked]"),
    ("-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----", "[masked]"),
]  # fmt: skip
PLAIN_TEXTS = [
    "systemctl restart ledger-api", "A-2091", "order 1234567890123", "2026-11-18T06:00:00Z",
    "https://example.test/a:b@c", "the password is changed every month", "bearer of bad news",
    "8d777f385d3dfec8815d20f7496026dc", "3.14159265358979323846",
]  # fmt: skip


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_a_field_named_like_a_secret_is_masked_completely(name):
    assert Masking().field(name, "A-2091") == (MASK, 1)
    assert Masking().field(name, {"nested": ["A-2091"]}) == (MASK, 1)


@pytest.mark.parametrize("name", PLAIN_NAMES)
def test_a_field_whose_name_only_resembles_a_secret_is_not_masked(name):
    assert Masking().field(name, "A-2091") == ("A-2091", 0)


@pytest.mark.parametrize("nothing", [None, True, False, "", [], {}])
def test_an_empty_value_is_not_masked_whatever_its_name(nothing):
    assert Masking().field("password", nothing) == (nothing, 0)


def test_a_number_is_masked_under_few_names():
    assert Masking().field("token", 100) == (100, 0)
    assert Masking().field("pin", 1234) == (MASK, 1)
    assert Masking().field("card_number", 4111111111111111) == (MASK, 1)


@pytest.mark.parametrize(("text", "shown"), SECRET_TEXTS)
def test_only_the_secret_within_a_text_is_masked(text, shown):
    assert masked_text(text) == (shown, 1)


@pytest.mark.parametrize("text", PLAIN_TEXTS)
def test_a_text_without_a_secret_is_unchanged(text):
    assert masked_text(text) == (text, 0)


def test_secrets_are_masked_at_any_depth_and_counted():
    value: Json = {"a": [{"token": "x1"}, "Bearer abcdef0123456789"], "b": {"c": 1}}
    assert masked(value) == ({"a": [{"token": MASK}, f"Bearer {MASK}"], "b": {"c": 1}}, 2)


WORDS = st.sampled_from(["token", "a", "password", "amount", "list"])
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=20)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_masking_is_idempotent(value):
    once, _ = masked(value)
    assert masked(once)[0] == once


@pytest.mark.parametrize(
    "evil", ["eyJa-", "sk-", "1 ", "a://", "edk_a_", "bearer ", "password=", "-----BEGIN "]
)
def test_masking_a_hostile_text_takes_linear_time(evil):
    masked_text(evil * 20_000)


SEVERAL = [
    ('{"user": "ada", "credentials": {"a": ["b", 1]}, "x": 1}',
     '{"user": "ada", "credentials": [masked], "x": 1}'),
    ('{"text": "{\\"password\\": \\"x y\\", \\"n\\": 1}"}',
     '{"text": "{\\"password\\": \\"[masked]\\", \\"n\\": 1}"}'),
    ("{'cookie': 'a=b', 'pin': 1234}", "{'cookie': '[masked]', 'pin': [masked]}"),
    ('{"token": "", "cookie": null}', '{"token": "", "cookie": null}'),
    ('{"password": "begun and never en', '{"password": "[masked]'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "shown"), SEVERAL)
def test_key_value_pairs_in_a_text_are_masked_by_name(text, shown):
    assert masked_text(text)[0] == shown


@pytest.mark.parametrize(
    "end", ["key sk-live-abc", "edk_production_ab", "Bearer ab", "key AKIAAB", "x://u:pa"]
)
def test_a_truncated_secret_is_masked_at_the_end_of_a_truncated_text(end):
    assert masked_text(end)[0] == end
    shown, result = masked_text(end, is_cut=True)
    assert shown.endswith(MASK)
    assert result == 1


def test_a_named_secret_is_masked_wherever_it_is_repeated():
    masking = Masking({"password": "blue-lake", "pin": "12"}, {"note": ["x"]})
    assert masking.text("refused blue-lake at 12:00") == f"refused {MASK} at 12:00"
    assert masking.value({"seen": "12", "at": "12:00"}) == {"seen": MASK, "at": "12:00"}


def test_a_secret_repeated_within_the_same_value_is_masked():
    value: Json = {"password": "correct-horse", "note": ["said correct-horse twice"]}
    assert masked(value) == ({"password": MASK, "note": [f"said {MASK} twice"]}, 2)


def test_a_value_is_masked_by_the_name_in_its_selector():
    assert Masking().written("result.password", '"x"') == f'"{MASK}"'
    assert Masking().written("result.password", '"x y z and no e') == f'"{MASK}"'
    assert Masking().written("result.status", "500") == "500"


def test_a_value_redacted_by_the_agent_is_unchanged():
    assert Masking().field("token", "[REDACTED]") == ("[REDACTED]", 0)


def test_masked_bytes_preserve_offsets():
    content = b'{"a": 1, "password": "hunter22", "token": {"b": ["cd", 12]}, "card_number": 4111111111111111}'  # noqa: E501
    shown = masked_bytes(content)
    assert shown == (
        b'{"a": 1, "password": "********", "token": {"*": ["**", 11]}, "card_number": 9999999999999999}'  # noqa: E501
    )


@given(st.binary(max_size=200))
def test_masking_bytes_preserves_their_length(content):
    assert len(masked_bytes(content)) == len(content)
