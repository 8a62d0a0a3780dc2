"""All interfaces: ``from saltus.msgs.std_msgs.msg import String``."""

import saltus._interfaces  # noqa: F401 - finds what is below this package
