"""Django's WSGI handler, which the front calls on its threads."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "edictum_site.settings")
application = get_wsgi_application()
