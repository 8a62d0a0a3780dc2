"""Nodes of the Python package `zenoh-ros2-sdk`, one role for each process: `sdk_peer.py ROLE PORT`."""

import sys
import time

from zenoh_ros2_sdk import (
    ROS2Publisher,
    ROS2ServiceClient,
    ROS2ServiceServer,
    ROS2Subscriber,
)

STRING = "string data\n"
ADD = ("int64 a\nint64 b\n", "int64 sum\n")
ADD_TYPE = "example_interfaces/srv/AddTwoInts"


def talker(router: dict) -> None:
    """Publishes a numbered text every 50 ms."""
    publisher = ROS2Publisher("/chatter", "std_msgs/msg/String", STRING, "sdk_talker", **router)
    for number in range(10_000):
        publisher.publish(data=f"sdk {number}")
        time.sleep(0.05)  # the period of the messages


def listener(router: dict) -> None:
    """Prints what it receives."""

    def heard(message: object) -> None:
        print(f"heard {message.data}", flush=True)

    subscriber = ROS2Subscriber("/from_saltus", "std_msgs/msg/String", heard, STRING, "sdk_listener", **router)
    print("ready", flush=True)
    sys.stdin.read()
    subscriber.close()


def server(router: dict) -> None:
    """Adds two numbers."""
    service = ROS2ServiceServer("/sdk_add", ADD_TYPE, None, *ADD, "sdk_server", mode="queue", **router)
    print("ready", flush=True)
    while True:
        key, request = service.take_request()
        service.send_response(key, service.response_msg_class(sum=request.a + request.b))


def client(router: dict) -> None:
    """Calls `/subject/add` until it has five sums, and prints them."""
    service = ROS2ServiceClient("/subject/add", ADD_TYPE, *ADD, "sdk_client", timeout=2, **router)
    sums = []
    while len(sums) < 5:
        response = service.call(a=len(sums), b=100)
        if response is None:
            time.sleep(0.1)  # the server is not announced yet
        else:
            sums.append(response.sum)
            print(f"sum {response.sum}", flush=True)


if __name__ == "__main__":
    roles = {"talker": talker, "listener": listener, "server": server, "client": client}
    roles[sys.argv[1]]({"router_ip": "127.0.0.1", "router_port": int(sys.argv[2])})
