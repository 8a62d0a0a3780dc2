"""Receives three texts, and ends."""

import saltus
from saltus.msgs.std_msgs.msg import String

heard = []
with saltus.init(), saltus.create_node("listener") as node:
    node.create_subscription(String, "chatter", heard.append, 10)
    while len(heard) < 3:
        saltus.spin_once(node)
print("heard:", [message.data for message in heard])
