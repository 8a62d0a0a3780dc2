"""All interfaces: ``from saltus.msgs.std_msgs.msg import String``."""

import saltus._interfaces  # noqa: F401 - installs the finder of the modules below this package
