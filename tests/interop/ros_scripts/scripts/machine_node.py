"""A state machine node and its client, which are spun alternately, and a one-shot timer."""

import functools

import rclpy
import rclpy.node
from example_interfaces.msg import String
from transitions import Machine

QOS = rclpy.qos.QoSPresetProfiles.SYSTEM_DEFAULT.value


class MachineNode(rclpy.node.Node):
    def __init__(self, node_name="node", namespace="machine", machine=None, *args, **kwargs):
        super().__init__(node_name=node_name, namespace=namespace, *args, **kwargs)
        self.state = self.create_publisher(msg_type=String, topic="state", qos_profile=QOS)
        self.event = self.create_publisher(msg_type=String, topic="event", qos_profile=QOS)
        self.trigger = self.create_subscription(
            msg_type=String, topic="trigger", callback=lambda m: self.machine.model.trigger(m.data), qos_profile=QOS
        )
        self.machine = machine
        if machine is not None:
            machine.send_event = True
            machine.prepare_event = lambda e: self.event.publish(String(data=e.event.name))
            machine.after_state_change = lambda e: self.state.publish(String(data=machine.model.state))


class Client(rclpy.node.Node):
    def __init__(self):
        super().__init__("client", namespace="machine")
        self.states, self.events = [], []
        self.trigger_pub = self.create_publisher(msg_type=String, topic="trigger", qos_profile=QOS)
        self.create_subscription(String, "state", lambda m: self.states.append(m.data), QOS)
        self.create_subscription(String, "event", lambda m: self.events.append(m.data), QOS)

    def trigger(self, name):
        self.trigger_pub.publish(msg=String(data=name))

    def log(self, message, severity="INFO"):
        logger = self.get_logger()
        logger.set_level(getattr(rclpy.logging.LoggingSeverity, severity))
        getattr(logger, severity.lower())(message)


def melt():
    machine = Machine(
        model=None, states=["solid", "liquid"], initial="solid",
        transitions=[["melt", "solid", "liquid"]], send_event=True,
    )  # fmt: skip
    model = type("Matter", (), {})()
    machine.add_model(model)
    node, client = MachineNode(machine=machine), Client()
    spin = functools.partial(rclpy.spin_once, timeout_sec=0.005)
    client.trigger("melt")
    spin(client)
    spin(node)
    assert model.state == "liquid", model.state
    for one in (node, client, node, client):
        spin(one)
    print("event:", client.events[-1], "state:", client.states[-1])
    topics = dict(client.get_topic_names_and_types())
    print("topics:", sorted(topics))
    client.log("over", "WARN")
    node.destroy_node()
    client.destroy_node()


def one_shot():
    executor = rclpy.executors.SingleThreadedExecutor()
    node = rclpy.node.Node("node", namespace="machine")
    rclpy.logging.set_logger_level("machine.node", rclpy.logging.LoggingSeverity.WARN)
    client = rclpy.node.Node("client")
    heard, gaps, future = [], [], rclpy.task.Future()
    event = node.create_publisher(String, "event", 10)

    def hear(message):
        heard.append(message.data)
        if len(heard) == 11:
            future.set_result(True)

    client.create_subscription(String, "/machine/event", hear, 10)

    def timeout(name):
        gaps.append((node.get_clock().now() - begun[-1]).nanoseconds / 1e6)
        timer.cancel()
        event.publish(String(data=name))
        begun.append(node.get_clock().now())
        timer.reset()

    begun = [node.get_clock().now()]
    timer = node.create_timer(0.005, functools.partial(timeout, "timeout"))
    executor.add_node(node)
    executor.add_node(client)
    executor.spin_until_future_complete(future)
    # The gaps are measured from the start of the timer. The intervals between received messages are less exact, because
    # the messages are received with different delays.
    print("gaps:", all(5.0 <= gap < 1000 for gap in gaps), len(heard), heard[0])


if __name__ == "__main__":
    rclpy.init()
    melt()
    one_shot()
    rclpy.shutdown()
