"""The first hour with a console: from a key to the first check, or a look around in a demo."""
