"""Nodes of the Python package `zenoh-ros2-sdk`, one role for each process: `sdk_peer.py ROLE PORT`."""

import pathlib
import sys
import time

import numpy
from zenoh_ros2_sdk import (
    ROS2Publisher,
    ROS2ServiceClient,
    ROS2ServiceServer,
    ROS2Subscriber,
)
from zenoh_ros2_sdk.message_registry import get_registry
from zenoh_ros2_sdk.session import ZenohSession

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


def load(router: dict) -> None:
    """Makes the definitions of this project known, which are those of ROS 2."""
    ZenohSession.get_instance(router["router_ip"], router["router_port"])
    get_registry(str(pathlib.Path(__file__).resolve().parents[3] / "interfaces"))


def sensors(router: dict) -> None:
    """Publishes a velocity, a scan and an image every 100 ms."""
    load(router)
    velocity, scan, image = (
        ROS2Publisher(f"/sdk/{name}", ty, None, f"sdk_{name}", **router)
        for name, ty in [
            ("twist", "geometry_msgs/msg/Twist"),
            ("scan", "sensor_msgs/msg/LaserScan"),
            ("image", "sensor_msgs/msg/Image"),
        ]
    )
    classes = get_registry().get_message_class
    time_class, header_class = classes("builtin_interfaces/msg/Time"), classes("std_msgs/msg/Header")
    vector_class = classes("geometry_msgs/msg/Vector3")
    header = header_class(stamp=time_class(sec=1, nanosec=2), frame_id="sdk")
    fields = ["angle_min", "angle_max", "angle_increment", "time_increment", "scan_time", "range_min", "range_max"]
    ranges = numpy.full(360, 1.5, numpy.float32)
    intensities = numpy.zeros(0, numpy.float32)
    data = numpy.full(1_000_000, 7, numpy.uint8)
    zero = vector_class(x=0.0, y=0.0, z=0.0)
    while True:
        velocity.publish(linear=vector_class(x=0.5, y=0.0, z=0.0), angular=zero)
        scan.publish(header=header, **dict.fromkeys(fields, 0.25), ranges=ranges, intensities=intensities)
        image.publish(header=header, height=1000, width=1000, encoding="mono8", is_bigendian=0, step=1000, data=data)
        time.sleep(0.1)  # the period of the messages


def sensor_listener(router: dict) -> None:
    """Prints velocities, scans and images."""
    load(router)
    lines = {
        "twist": ("geometry_msgs/msg/Twist", lambda message: message.linear.x),
        "scan": ("sensor_msgs/msg/LaserScan", lambda message: f"{len(message.ranges)} {message.ranges[0]}"),
        "image": ("sensor_msgs/msg/Image", lambda message: f"{message.width} {int(numpy.sum(message.data))}"),
    }

    def heard(name: str, text: object) -> None:
        print(f"{name} {text}", flush=True)

    subscribers = [
        ROS2Subscriber(
            f"/saltus/{name}",
            ty,
            lambda one, name=name, text=text: heard(name, text(one)),
            None,
            f"sdk_{name}",
            **router,
        )
        for name, (ty, text) in lines.items()
    ]
    sys.stdin.read()
    for subscriber in subscribers:
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
    roles = {
        "talker": talker,
        "listener": listener,
        "sensors": sensors,
        "sensor_listener": sensor_listener,
        "server": server,
        "client": client,
    }
    roles[sys.argv[1]]({"router_ip": "127.0.0.1", "router_port": int(sys.argv[2])})
