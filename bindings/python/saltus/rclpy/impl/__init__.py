"""The package from which some programs import severities and loggers."""
