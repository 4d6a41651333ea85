"""A signed-in user, simulated with HTTP requests and cookies."""

import http.client
from http.cookies import SimpleCookie
from urllib.parse import urlencode

from tests.journeys.console import EMAIL, PASSWORD

SIGN_IN = "/account/sign-in/"


class Browser:
    def __init__(self, url: str) -> None:
        self._address = url.removeprefix("http://")
        self._url = url
        self._cookies: dict[str, str] = {}
        self._leads_to = ""
        self.post(SIGN_IN, login=EMAIL, password=PASSWORD)
        assert "sessionid" in self._cookies, "not signed in"

    def page(self, path: str) -> str:
        status, body = self._ask("GET", path)
        assert status == 200, (path, status, body[:300])
        return body

    def post(self, path: str, **fields: str | list[str]) -> str:
        """Submit a form and return the redirect's address, or an empty string."""
        if "csrftoken" not in self._cookies:
            self._ask("GET", SIGN_IN)
        fields["csrfmiddlewaretoken"] = self._cookies["csrftoken"]
        status, body = self._ask("POST", path, urlencode(fields, doseq=True).encode())
        assert status in (200, 204, 302), (path, status, body[:300])
        return self._leads_to

    def _ask(self, method: str, path: str, body: bytes | None = None) -> tuple[int, str]:
        connection = http.client.HTTPConnection(self._address, timeout=60)
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        headers = {"Cookie": cookies, "Origin": self._url}
        if body:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        self._leads_to = answer.headers.get("Location", "")
        for header in answer.headers.get_all("Set-Cookie") or ():
            self._cookies |= {name: each.value for name, each in SimpleCookie(header).items()}
        connection.close()
        return answer.status, text
