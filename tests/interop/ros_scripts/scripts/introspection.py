"""A server and a client that publish their calls (service introspection). A parameter sets the contents."""

import rclpy
from example_interfaces.srv import AddTwoInts
from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_system_default
from rclpy.service_introspection import ServiceIntrospectionState


class Both(Node):
    def __init__(self):
        super().__init__("introspection")
        self.srv = self.create_service(AddTwoInts, "add", lambda q, r: AddTwoInts.Response(sum=q.a + q.b))
        self.cli = self.create_client(AddTwoInts, "add")
        self.events = self.create_subscription(AddTwoInts.Event, "add/_service_event", self.hear, 10)
        self.add_on_set_parameters_callback(lambda _: SetParametersResult(successful=True))
        self.add_post_set_parameters_callback(self.configure)
        self.declare_parameter("state", "disabled")
        self.heard = 0

    def configure(self, parameters):
        states = {"metadata": ServiceIntrospectionState.METADATA, "contents": ServiceIntrospectionState.CONTENTS}
        for parameter in parameters:
            if parameter.name == "state":
                state = states.get(parameter.value, ServiceIntrospectionState.OFF)
                for end in (self.srv, self.cli):
                    end.configure_introspection(self.get_clock(), qos_profile_system_default, state)

    def hear(self, event):
        self.heard += 1
        content = [request.a for request in event.request] + [response.sum for response in event.response]
        print("event", event.info.event_type, content)


def main():
    rclpy.init()
    node = Both()
    for state, events in (("disabled", 0), ("metadata", 4), ("contents", 8)):
        node.set_parameters([Parameter("state", value=state)])
        future = node.cli.call_async(AddTwoInts.Request(a=2, b=3))
        rclpy.spin_until_future_complete(node, future)
        while node.heard < events:
            rclpy.spin_once(node, timeout_sec=1.0)
        print(state, "done")
    rclpy.shutdown()


if __name__ == "__main__":
    main()
