"""Waits for transforms in several ways, and transforms a point."""

import rclpy
import tf2_geometry_msgs
import tf2_ros
from geometry_msgs.msg import PointStamped
from rclpy.node import Node


class Points(Node):
    def __init__(self):
        super().__init__("points")
        self.tf_buffer = tf2_ros.Buffer()
        self.tf_listener = tf2_ros.TransformListener(self.tf_buffer, self, spin_thread=True)

    def point(self, frame):
        point = PointStamped()
        point.header.frame_id = frame
        point.point.x = 1.0
        return point


async def wait(node):
    t = await node.tf_buffer.lookup_transform_async("world", "mast", rclpy.time.Time())
    return t.transform.translation.z


def main():
    rclpy.init()
    node = Points()
    timeout = rclpy.duration.Duration(seconds=10.0)
    print("mast:", node.tf_buffer.can_transform("world", "mast", rclpy.time.Time(), timeout))
    executor = rclpy.executors.SingleThreadedExecutor()
    task = executor.create_task(wait(node))
    executor.spin_until_future_complete(task)
    print("height:", task.result())
    moved = node.tf_buffer.transform(node.point("mast"), "world", timeout)
    print(f"in world: {moved.point.x:.3f} {moved.point.y:.3f} {moved.point.z:.3f}")
    t = node.tf_buffer.lookup_transform("world", "mast", rclpy.time.Time())
    same = tf2_geometry_msgs.do_transform_point(node.point("mast"), t)
    print("the same:", same.point == moved.point)
    for frame in ("nothing", ""):
        try:
            node.tf_buffer.lookup_transform("world", frame, rclpy.time.Time())
        except tf2_ros.TransformException as error:
            print(type(error).__name__ + ":", error)
    rclpy.shutdown()


if __name__ == "__main__":
    main()
