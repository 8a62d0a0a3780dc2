"""The package @name@, with the types of its folder ``interfaces``."""

from pathlib import Path

import saltus

saltus.interfaces.add_path(Path(__file__).parent / "interfaces")
