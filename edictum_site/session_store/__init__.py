"""The SDKs' session store on the event loop: ten requests of every governed call come here."""
