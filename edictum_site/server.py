"""ASGI entry: Django's pages and API behind the front, on one port.

For development: `uvicorn edictum_site.server:application --reload`.
"""

import gc
import sys

from django.conf import settings
from django.db import connections
from django.urls import get_resolver

from edictum_site.wsgi import application as django

# isort: split
# Models can be imported from here on: the line above has set Django up.
from edictum_site.celery import app as celery_app
from edictum_site.front.app import Front
from edictum_site.metrics import process
from edictum_site.session_store.quick import SessionStore
from edictum_site.slow import Slow
from edictum_site.streams import DocumentStreams
from edictum_site.uploads import may_upload
from outcomes.hosts import worker_state
from outcomes.hosts.reporting import start_reporting

# Threads that compute hand over sooner: the slowest requests take less than half of their time.
sys.setswitchinterval(0.001)
# Tasks that this process sends find their broker through it.
celery_app.set_default()

uploads = settings.DATA / "uploads"
uploads.mkdir(mode=0o700, exist_ok=True)

# Pages and API are loaded now, which the first request would wait for; and what is loaded stays:
# to go through all of it for garbage takes as long as a page.
_ = get_resolver().url_patterns
# What a page makes is freed without a search too. At Python's 700 there are dozens of searches in a
# page; at a hundred thousand there is one in some, which takes longer than the page.
gc.collect()
gc.freeze()
gc.set_threshold(10_000, 20, 50)

start_reporting({"web": ""}, after=worker_state.refresh)
streams = DocumentStreams(settings.REDIS_URL)
process.count_streams(lambda: streams.open)
application = Front(
    django,
    folder=uploads,
    may_upload=may_upload,
    release=connections.close_all,
    streams=streams,
    slow=Slow(),
    quick=SessionStore(),
    observe=process.observe_request,
)
