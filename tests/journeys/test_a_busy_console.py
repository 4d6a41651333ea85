"""A console busy with slow requests says so and recovers."""

import http.client
import json
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from uuid import uuid4

from playwright.sync_api import expect

from tests.governance.contracts.documents import document, pre
from tests.journeys.console import BEHIND
from tests.journeys.test_stream_processes import until
from tests.journeys.test_writing_a_contract import write

LARGE = document(
    *(pre(f"{{args.x: {{matches: '(a+)+b{n}$'}}}}", rule_id=f"r{n}") for n in range(4_000))
)
AT_ONCE = 24  # for one person one request runs and sixteen wait


@contextmanager
def validating(console, cookies) -> Iterator[Counter[int]]:
    """Send slow validations as the person with these cookies, and count the statuses."""
    answered, over = Counter[int](), threading.Event()
    headers = {
        "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items()),
        "X-CSRFToken": cookies["csrftoken"],
        "Content-Type": "application/json",
    }

    def validate() -> None:
        while not over.is_set():
            connection = http.client.HTTPConnection(console.url.removeprefix("http://"), timeout=60)
            path, body = "/v1/contracts/validate?project=default", json.dumps({"yaml": LARGE})
            connection.request("POST", path, body, headers)
            answered[connection.getresponse().status] += 1
            connection.close()
            over.wait(0.1)

    with ThreadPoolExecutor(AT_ONCE) as clients:
        for _ in range(AT_ONCE):
            clients.submit(validate)
        try:
            yield answered
        finally:
            over.set()


def test_the_editor_reports_that_the_console_is_busy_and_checks_again(console, browser, signed_in):
    name = f"busy-{uuid4().hex[:8]}"
    text = document(pre("{args.amount: {gt: 50}}")).replace("name: d", f"name: {name}")
    assert console.ask("POST", "contracts", json.dumps({"yaml": text}).encode())[0] == 201
    with browser.new_context(storage_state=signed_in) as context:
        page = context.new_page()  # the browser console logs the 503 responses
        page.goto(f"{console.url}/p/default/contracts/b/{name}/edit/")
        state = page.locator("#draft-standing")
        write(page, "50", "60")
        cookies = {each["name"]: each["value"] for each in context.cookies()}
        with validating(console, cookies) as answered:
            until(lambda: answered[503] > 0)
            write(page, "60", "-")
            expect(state).to_have_text("checking …")
        expect(state).to_have_text("1 error to fix", timeout=BEHIND)
