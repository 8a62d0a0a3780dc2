"""A program with one role of the test per process: ``rover.py publish|echo|serve|call|drive``."""

import sys

import saltus
from saltus.action import ActionClient, ActionServer
from saltus.executors import ExternalShutdownException
from saltus.msgs.geometry_msgs.msg import Vector3
from saltus.msgs.rover_msgs.action import Drive
from saltus.msgs.rover_msgs.msg import Motor, Wheel
from saltus.msgs.rover_msgs.srv import SetSpeed
from saltus.msgs.rover_parts.msg import Gear

TIMEOUT = 20.0


def a_wheel():
    gears = [Gear(teeth=12, material="steel"), Gear(teeth=40, material="brass")]
    return Wheel(side=Wheel.RIGHT, position=Vector3(x=1.5), motor=Motor(gears=gears), speeds=[1.0, 2.5])


def show(wheel):
    teeth = [gear.teeth for gear in wheel.motor.gears]
    current, speeds = wheel.motor.current, list(map(float, wheel.speeds))
    print(f"{wheel.name} side={wheel.side} x={wheel.position.x} current={current} {teeth=} {speeds=}", flush=True)


def publish(node):
    wheels = node.create_publisher(Wheel, "wheels", 10)
    node.create_timer(0.05, lambda: wheels.publish(a_wheel()))
    saltus.spin(node)


def echo(node):
    received = saltus.Future()
    node.create_subscription(Wheel, "wheels", lambda wheel: received.done() or received.set_result(wheel), 10)
    saltus.spin_until_future_complete(node, received)
    show(received.result())


def serve(node):
    def set_speed(request, response):
        response.wheel = request.wheel
        response.wheel.speeds = [*request.wheel.speeds, request.speed]
        return response

    def drive(goal):
        goal.publish_feedback(Drive.Feedback(left=goal.request.distance / 2))
        goal.succeed()
        return Drive.Result(driven=goal.request.distance * len(goal.request.wheels))

    node.create_service(SetSpeed, "set_speed", set_speed)
    server = ActionServer(node, Drive, "drive", drive)
    print("serving", flush=True)
    saltus.spin(node)
    server.destroy()


def call(node):
    client = node.create_client(SetSpeed, "set_speed")
    assert client.wait_for_service(TIMEOUT)
    future = client.call_async(SetSpeed.Request(wheel=a_wheel(), speed=4.0))
    saltus.spin_until_future_complete(node, future, timeout_sec=TIMEOUT)
    print(f"speeds={list(map(float, future.result().wheel.speeds))}")


def drive(node):
    client = ActionClient(node, Drive, "drive")
    assert client.wait_for_server(TIMEOUT)
    goal = Drive.Goal(wheels=[a_wheel(), a_wheel()], distance=3.0)
    sent = client.send_goal_async(goal, feedback_callback=lambda message: print(f"left={message.feedback.left:g}"))
    saltus.spin_until_future_complete(node, sent, timeout_sec=TIMEOUT)
    result = sent.result().get_result_async()
    saltus.spin_until_future_complete(node, result, timeout_sec=TIMEOUT)
    print(f"driven={result.result().result.driven:g}")


def main():
    saltus.init()
    node = saltus.Node("rover")
    try:
        {role.__name__: role for role in (publish, echo, serve, call, drive)}[sys.argv[1]](node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


if __name__ == "__main__":
    main()
