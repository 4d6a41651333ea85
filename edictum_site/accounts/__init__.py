"""Accounts: sign-in through allauth, its limits, the profile page, and the trail of requests."""
