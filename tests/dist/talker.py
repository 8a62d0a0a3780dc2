"""Publishes a text ten times a second, until Ctrl-C."""

import signal

import saltus
from saltus.msgs.std_msgs.msg import String

# A shell starts this program in the background, and so with SIGINT ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    with saltus.init(), saltus.create_node("talker") as node:
        publisher = node.create_publisher(String, "chatter", 10)
        node.create_timer(0.1, lambda: publisher.publish(String(data="hello")))
        saltus.spin(node)
except KeyboardInterrupt:
    pass
