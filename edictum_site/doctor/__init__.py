"""`manage.py doctor`: checks an installation and suggests a fix for each problem."""
