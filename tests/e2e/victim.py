"""A victim in Python: `victim.py MODE [ARGUMENT…]`. It prints `ready` when it has joined.

Later it ends or is killed.
"""

import ctypes
import os
import sys
import time

import saltus
from saltus.msgs.saltus_bench_msgs.msg import Payload
from saltus.qos import DurabilityPolicy, QoSProfile

mode, *arguments = sys.argv[1:]
saltus.init(args=[])
node = saltus.create_node(f"victim_{os.getpid()}")
publisher = node.create_publisher(Payload, "from_victims", 5)
latched = QoSProfile(depth=2, durability=DurabilityPolicy.TRANSIENT_LOCAL)
kept = []
node.create_subscription(Payload, "to_victims", kept.append, latched)
print("ready", flush=True)


# The exit code that `fault_of_victim` checks.
BROKEN_GUARANTEE = 3


def exchange(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        publisher.publish(Payload(data=[len(kept) % 256] * 5000))
        saltus.spin_once(node, timeout_sec=0.002)
        del kept[:-200]


if mode == "keep":
    exchange(100)
elif mode == "fork":
    # Like multiprocessing: the child lives on for a while, but does not take part.
    if os.fork() == 0:
        # Nothing else depends on this wait.
        time.sleep(0.5)
        os._exit(0)
    exchange(100)
elif mode == "exec":
    exchange(0.05)
    os.execv("/bin/sleep", ["sleep", "0.3"])
elif mode == "close":
    # Old programs do this when they become daemons.
    os.closerange(3, 1000)
    exchange(2)
    # This is reached only if the handles still work, although their descriptors are closed.
    os._exit(BROKEN_GUARANTEE)
elif mode == "copy":
    copy = ctypes.CDLL(arguments[0])
    copy.saltus_copy_join.restype = ctypes.c_void_p
    folder = os.environ["SALTUS_SHM_DIR"].encode()
    member = ctypes.c_void_p(copy.saltus_copy_join(folder, f"copy_{os.getpid()}".encode()))
    if not member:
        # Possible reasons: there is no memory, or the folder was just removed.
        sys.exit("the copy can't join")
    exchange(0.1)
    copy.saltus_copy_leave(member)
    exchange(0.1)
elif mode == "user":
    os.seteuid(65534)
    exchange(0.1)
else:
    sys.exit(f"no such mode: {mode}")
