"""The stream: what holds thousands of agents' connections on one event loop and tells them news.

No thread and no database connection is held for any of them. HTTP and the front are not known here.
"""
