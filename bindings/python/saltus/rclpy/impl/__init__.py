"""Where some programs look for severities and loggers."""
