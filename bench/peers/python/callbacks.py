"""The exchange with rclpy's classes, of any implementation: a topic in each direction, or a service."""

import sys

from pingpong import REPLY, Ping, Pong, wait_for


def topic(given, node, executor, future, payload, version, make, wrap):
    """Exchanges one message in each direction. Each end answers in its callback.

    `make` makes the data. `wrap` returns what a message keeps of it without a copy, so that later stamps are seen.
    """
    done = future()
    to, back = ("ping", "pong") if given.role == "ping" else ("pong", "ping")
    publisher = node.create_publisher(payload, f"{to}_{given.tag}", 10)
    publish = publisher.publish
    ping, pong = (Ping(given, make), None) if given.role == "ping" else (None, Pong(given))
    message = payload(data_size=given.size)
    if ping:
        message.data = wrap(ping.data)

    def hear_reply(reply):
        if ping.check(reply.data):
            if send():
                return
            done.set_result(None)

    def send():
        if not ping.begin():
            return False
        message.sequence_number = ping.sequence & 0xFFFFFFFF
        publish(message)
        return True

    def answer(request):
        if pong.note(request.data):
            publish(request)
        else:
            done.set_result(None)

    subscription = node.create_subscription(payload, f"{back}_{given.tag}", hear_reply if ping else answer, 10)
    counts = publisher.get_subscription_count, lambda: node.count_publishers(subscription.topic_name)
    wait_for(lambda: all(count() for count in counts), "the other end")
    if pong:
        executor.spin_until_future_complete(done, given.seconds * 2 + 20)
        return pong.report()
    going = send()
    while going and not done.done():
        before = ping.sequence
        executor.spin_until_future_complete(done, REPLY)
        if not done.done() and ping.sequence == before:
            ping.miss()
            going = send()
    ping.end()
    for _ in range(3):
        publish(message)
    ping.report(version)


def service(given, node, executor, echo, version, make, wrap):
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
        # The last response is on its way.
        return pong.report()
    client = node.create_client(echo, f"echo_{given.tag}")
    if not client.wait_for_service(10.0):
        sys.exit("the other end did not come")
    ping = Ping(given, make)
    request = echo.Request()
    request.data = wrap(ping.data)

    def call():
        future = client.call_async(request)
        executor.spin_until_future_complete(future, REPLY)
        return future.result() if future.done() else None

    while ping.begin():
        response = call()
        if response is None or not ping.check(response.data):
            ping.miss()
    ping.end()
    call()
    ping.report(version)
