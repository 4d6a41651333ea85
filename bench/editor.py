"""Check editor: response time of running a changed draft on 200 recorded results."""

import gzip
import http.client
import math
import time
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from urllib.parse import urlencode

from bench.parts import Part
from bench.rejudging import CHECK
from bench.site import EMAIL, Site

TRIES, RESULTS = 60, 200
SIGN_IN, RECORDED = "/account/sign-in/", "/p/default/checks/recorded/"


@dataclass(slots=True)
class Browser:
    """Browser session that can sign in as the admin and sends its CSRF token."""

    site: Site
    cookies: dict[str, str] = field(default_factory=dict)

    def sign_in(self) -> None:
        self.ask("GET", SIGN_IN)
        self.ask("POST", SIGN_IN, {"login": EMAIL, "password": self.site.secret})

    def ask(self, method: str, path: str, fields: dict[str, str] | None = None) -> tuple[int, str]:
        connection = http.client.HTTPConnection(*self.site.address, timeout=30)
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "Accept-Encoding": "gzip",
            "HX-Request": "true",
            "X-CSRFToken": self.cookies.get("csrftoken", ""),
        }
        try:
            connection.request(method, path, urlencode(fields or {}), headers)
            answer = connection.getresponse()
            for header in answer.headers.get_all("Set-Cookie", []):
                self.cookies |= {name: each.value for name, each in SimpleCookie(header).items()}
            body = answer.read()
            if answer.headers["Content-Encoding"] == "gzip":
                body = gzip.decompress(body)
            return answer.status, body.decode()
        finally:
            connection.close()


def editor(site: Site) -> Part:
    """Measure a draft check on earlier results of ten tools, changing its text for each try."""
    part = Part("check editor", 1, 1, RESULTS, how=f"{RESULTS} results of ten tools, ten rules")
    browser = Browser(site)
    browser.sign_in()
    took = []
    for number in range(TRIES):
        text = CHECK.replace("60000", str(60_000 + number))
        began = time.perf_counter()
        status, answer = browser.ask("POST", RECORDED, {"text": text, "tools": "judged-*"})
        took.append(1_000 * (time.perf_counter() - began))
        if status != http.client.OK or f"{RESULTS} newest" not in answer:
            part.faults = [f"{RECORDED} answered {status}: {answer[:200]}"]
            break
    took.sort()
    part.figures = {
        f"p{each}_ms": took[math.ceil(len(took) * each / 100) - 1] for each in (50, 95, 99)
    }
    return part
