"""Compiles regular expressions in RE2's syntax to minimal automata."""
