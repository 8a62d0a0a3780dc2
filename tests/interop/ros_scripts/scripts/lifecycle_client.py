"""A client of a lifecycle node: it goes through all of its states."""

import rclpy
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from std_msgs.msg import String


def main():
    rclpy.init()
    node = rclpy.create_node("lc_client")
    change = node.create_client(ChangeState, "/lc_talker/change_state")
    get = node.create_client(GetState, "/lc_talker/get_state")
    change.wait_for_service()
    get.wait_for_service()
    received = []
    node.create_subscription(String, "lifecycle_chatter", received.append, 10)

    def call(client, request):
        future = client.call_async(request)
        rclpy.spin_until_future_complete(node, future)
        return future.result()

    for transition in (
        Transition.TRANSITION_CONFIGURE,
        Transition.TRANSITION_ACTIVATE,
        Transition.TRANSITION_DEACTIVATE,
        Transition.TRANSITION_CLEANUP,
        Transition.TRANSITION_INACTIVE_SHUTDOWN,
    ):
        success = call(change, ChangeState.Request(transition=Transition(id=transition))).success
        state = call(get, GetState.Request()).current_state
        print("transition %d: %s, %s [%d]" % (transition, success, state.label, state.id), flush=True)
        while state.label == "active" and len(received) < 3:
            rclpy.spin_once(node)
    print("heard %s" % (len(received) >= 3), flush=True)
    rclpy.shutdown()


if __name__ == "__main__":
    main()
