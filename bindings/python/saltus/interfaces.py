"""Folders with the definitions of a program's own messages, services and actions.

The environment variable ``SALTUS_INTERFACE_PATH`` adds such folders too.
"""

from saltus._interfaces import add_path

__all__ = ["add_path"]
