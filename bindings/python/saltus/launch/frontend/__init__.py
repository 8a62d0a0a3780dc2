"""Launch files in XML and YAML, read in Python, with the names of ROS 2's ``launch.frontend``.

``saltus launch`` reads such files itself. This package is for programs that read them, and for tags of their own.
"""

from saltus.launch import elements as entity
from saltus.launch.elements import Entity
from saltus.launch.errors import InvalidFrontendLaunchFileError
from saltus.launch.frontend import expose, parse_substitution, parser
from saltus.launch.frontend.expose import expose_action, expose_substitution
from saltus.launch.frontend.parser import Parser

__all__ = [
    "Entity", "InvalidFrontendLaunchFileError", "Parser", "entity", "expose", "expose_action", "expose_substitution",
    "parse_substitution", "parser",
]  # fmt: skip
