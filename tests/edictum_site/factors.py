"""Second factors as people use them: an authenticator app with the key from the page."""

import base64
import hashlib
import hmac
import re
import struct
import time

from django.test import Client

from tests.builders import PASSWORD

ADD_APP = "/account/second-factor/app/"
STEP = 30  # seconds


def code_of(key: str, *, steps: int = 0) -> str:
    """RFC 6238 code for now, or for this many steps later."""
    counter = struct.pack(">Q", int(time.time()) // STEP + steps)
    digest = hmac.new(base64.b32decode(key), counter, hashlib.sha1).digest()
    at = digest[-1] & 15
    number = struct.unpack(">I", digest[at : at + 4])[0] & 0x7FFFFFFF
    return f"{number % 1_000_000:06}"


def confirm(client: Client, path: str) -> None:
    """Confirm the password before changing factors."""
    answer = client.get(path)
    assert answer.status_code == 302, answer.text
    confirmed = client.post(answer.headers["Location"], {"password": PASSWORD})
    assert confirmed.status_code == 302, confirmed.text
    assert confirmed.headers["Location"] == path


def add_app(client: Client) -> str:
    """Add an authenticator app; returns its key."""
    confirm(client, ADD_APP)
    match = re.search(r'id="factor-key">(\w+)<', client.get(ADD_APP).text)
    assert match is not None
    answer = client.post(ADD_APP, {"code": code_of(match[1])})
    assert answer.headers["Location"] == "/account/second-factor/recovery-codes/", answer.text
    return match[1]


def recovery_codes(client: Client) -> list[str]:
    text = client.get("/account/second-factor/recovery-codes/").text
    match = re.search(r'id="recovery-codes">([\d\s]+)<', text)
    return match[1].split() if match else []
