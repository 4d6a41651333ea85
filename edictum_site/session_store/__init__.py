"""The SDKs' session store on the event loop, which gets ten requests per governed call."""
