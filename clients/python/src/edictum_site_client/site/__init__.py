"""Matcher for success checks, copied from the console by `copy_matcher`."""
