"""Launch tests in pytest."""
