"""Parts of the matcher. `exports` joins them into one module, so they import nothing else of ours.

They share one namespace: no name may occur in two parts.
"""
