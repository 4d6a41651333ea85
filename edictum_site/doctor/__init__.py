"""`manage.py doctor`: examines an installation and says what to do about each problem."""
