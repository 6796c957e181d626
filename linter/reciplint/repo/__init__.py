"""Which files there are, at which revision, and of which kind; the only room that knows git."""
