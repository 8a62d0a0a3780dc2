"""The exchange with any implementation of rclpy's classes: a topic in each direction, or a service.

Both ends spin with `spin_once`, because each call of rclpy's `spin_until_future_complete` adds a callback to the
future.
"""

import sys

from pingpong import REPLY, Ping, Pong, wait_for


class Outgoing:
    """The message of ping. It is sent again and again with new stamps.

    A library may copy the array that a field is set to. So the array that is read back from the field is stamped.
    """

    def __init__(self, message, ping, wrap):
        message.data = wrap(ping.data)
        ping.data = message.data
        self.message = message


def topic(given, node, executor, payload, version, wrap):
    """Exchanges one message in each direction. Each end answers in its callback.

    `wrap` converts the data to the kind of array that programs of the library usually set a field to.
    """
    to, back = ("ping", "pong") if given.role == "ping" else ("pong", "ping")
    publisher = node.create_publisher(payload, f"{to}_{given.tag}", 10)
    run = _ping_topic if given.role == "ping" else _pong_topic
    run(given, node, executor, publisher, f"{back}_{given.tag}", payload, version, wrap)


def _wait_for_peer(node, publisher, subscription):
    counts = publisher.get_subscription_count, lambda: node.count_publishers(subscription.topic_name)
    wait_for(lambda: all(count() for count in counts), "the other process")


def _ping_topic(given, node, executor, publisher, back, payload, version, wrap):
    ping, publish = Ping(given), publisher.publish
    message = Outgoing(payload(data_size=given.size), ping, wrap).message

    def on_reply(reply):
        if ping.check(reply.data):
            send()

    def send():
        if ping.begin():
            message.sequence_number = ping.sequence & 0xFFFFFFFF
            publish(message)
        else:
            over.append(True)

    over = []
    subscription = node.create_subscription(payload, back, on_reply, 10)
    _wait_for_peer(node, publisher, subscription)
    send()
    while not over:
        before = ping.sequence
        executor.spin_once(REPLY)
        if ping.sequence == before and ping.is_late():
            ping.miss()
            send()
    ping.end()
    for _ in range(3):
        publish(message)
    ping.report(version)


def _pong_topic(given, node, executor, publisher, back, payload, version, wrap):
    pong, over, publish = Pong(given), [], publisher.publish

    def answer(request):
        if pong.note(request.data):
            publish(request)
        else:
            over.append(True)

    subscription = node.create_subscription(payload, back, answer, 10)
    _wait_for_peer(node, publisher, subscription)
    while not over:
        executor.spin_once(1.0)
    pong.report()


def service(given, node, executor, echo, version, wrap):
    """Exchanges a request and its response, which has the same data."""
    if given.role == "pong":
        pong, over = Pong(given), []

        def answer(request, response):
            if not pong.note(request.data):
                over.append(True)
            response.data = request.data
            return response

        node.create_service(echo, f"echo_{given.tag}", answer)
        while not over:
            executor.spin_once(1.0)
        # This gives the last response time to arrive.
        return pong.report()
    client = node.create_client(echo, f"echo_{given.tag}")
    if not client.wait_for_service(10.0):
        sys.exit("the other process was not found in time")
    ping = Ping(given)
    request = Outgoing(echo.Request(), ping, wrap).message

    def call():
        future = client.call_async(request)
        while not future.done() and not ping.is_late():
            executor.spin_once(REPLY)
        return future.result() if future.done() else None

    while ping.begin():
        response = call()
        if response is None or not ping.check(response.data):
            ping.miss()
    ping.end()
    call()
    ping.report(version)
