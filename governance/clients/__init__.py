"""The agents' package as a wheel, built from its source in this repository and served to pip."""
