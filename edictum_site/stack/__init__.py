"""`manage.py up`: web, worker and Redis as children of one command, stopped together.

This package doesn't import Django, so the supervisor stays small and starts instantly.
"""
