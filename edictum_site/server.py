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
# The import above has set up Django, so models can be imported from here on.
from edictum_site.celery import app as celery_app
from edictum_site.front.app import Front
from edictum_site.metrics import process
from edictum_site.session_store.quick import SessionStore
from edictum_site.slow import Slow
from edictum_site.streams import DocumentStreams
from edictum_site.uploads import may_upload
from outcomes.hosts import worker_state
from outcomes.hosts.reporting import start_reporting

# Switch threads more often than the default: the slowest requests take less than half as long.
sys.setswitchinterval(0.001)
# Tasks sent by this process use this app's broker.
celery_app.set_default()

uploads = settings.DATA / "uploads"
uploads.mkdir(mode=0o700, exist_ok=True)

# Load pages and API now instead of in the first request. Loaded objects stay alive, so freeze them:
# collecting through all of them takes as long as a page.
_ = get_resolver().url_patterns
# A page's objects are mostly freed by reference counting. At Python's threshold of 700, a page runs
# dozens of collections; at 100,000, one in several pages, which takes longer than the page.
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
