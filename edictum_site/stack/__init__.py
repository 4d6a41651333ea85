"""`manage.py up`: web, worker and Redis as children of one command, stopped together.

Nothing here imports Django: the supervisor stays small and starts in an instant.
"""
