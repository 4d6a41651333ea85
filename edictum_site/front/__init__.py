"""The one-port front: an ASGI application that runs Django's WSGI handler on a few threads.

It is independent of product features. docs/adr/0002-serving-front.md has the reasons for each part.
"""
