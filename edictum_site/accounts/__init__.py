"""Accounts: sign-in through allauth, its limits, and the profile page."""
