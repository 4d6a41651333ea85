"""The one-port front: an ASGI application that runs Django's WSGI handler on a few threads.

It knows no feature of the product. The reasons for each part are in docs/adr/0002-serving-front.md.
"""
