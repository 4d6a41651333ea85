"""The one router of outcomes: two routers with the same path would hide each other's methods."""

from ninja import Router

router = Router()
