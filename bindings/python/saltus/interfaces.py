"""Where the definitions of a program's own messages, services and actions are found.

``SALTUS_INTERFACE_PATH`` names such folders from outside the program.
"""

from saltus._interfaces import add_path

__all__ = ["add_path"]
