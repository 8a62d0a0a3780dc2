# Nothing is generated for Python: Saltus makes the classes from the installed definitions when they are imported.
