"""An action client in one coroutine. It uses the server that defers goals, and the one that runs one goal at a time."""

import rclpy
from example_interfaces.action import Fibonacci
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor


async def go(node):
    deferred = ActionClient(node, Fibonacci, "fibonacci_defer")
    deferred.wait_for_server(timeout_sec=10.0)
    handle = await deferred.send_goal_async(Fibonacci.Goal(order=3))
    response = await handle.get_result_async()
    print("deferred:", list(response.result.sequence))
    single = ActionClient(node, Fibonacci, "fibonacci_single")
    single.wait_for_server(timeout_sec=10.0)
    first = await single.send_goal_async(Fibonacci.Goal(order=20))
    second = await single.send_goal_async(Fibonacci.Goal(order=5))
    results = [await handle.get_result_async() for handle in (first, second)]
    print("states:", [one.status for one in results])


def main(args=None):
    rclpy.init(args=args)
    node = rclpy.create_node("awaiting")
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    task = executor.create_task(go(node))
    executor.spin_until_future_complete(task)
    task.result()
    executor.shutdown()
    node.destroy_node()
    rclpy.shutdown()


if __name__ == "__main__":
    main()
