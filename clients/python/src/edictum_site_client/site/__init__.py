"""Matcher of success checks: a copy of the console's own, see `copy_matcher`."""
