"""The first hour with a console: the Start page, from a key to the first check, and the demo."""
