"""The one router of outcomes: two routers with the same path would hide each other's methods."""

from django.urls import register_converter
from django.urls.converters import PathConverter
from ninja import Router


class Rest(PathConverter):
    """The rest of a path, line breaks too: an identifier may hold any of them."""

    regex = r"[\s\S]+"


register_converter(Rest, "rest")

router = Router()
