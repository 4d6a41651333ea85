"""The agents' client package as a wheel, built from this repository and served to pip."""
