"""iceoryx2: the mode `busy` polls the subscriber. The mode `listener` blocks until the sender notifies its event."""

import ctypes
import time

import iceoryx2 as iox2
from pingpong import arguments, run_polled, wait_for

given = arguments()
iox2.set_log_level(iox2.LogLevel.Error)
to, back = (f"{end}_{given.tag}" for end in (("ping", "pong") if given.role == "ping" else ("pong", "ping")))
node = iox2.NodeBuilder.new().create(iox2.ServiceType.Ipc)


def topic(name):
    builder = node.service_builder(iox2.ServiceName.new(name))
    return builder.publish_subscribe(iox2.Slice[ctypes.c_uint8]).open_or_create()


def event(name):
    return node.service_builder(iox2.ServiceName.new(name)).event().open_or_create()


there, here, event_there, event_here = topic(to), topic(back), event(to), event(back)
publisher = there.publisher_builder().initial_max_slice_len(given.size).create()
subscriber = here.subscriber_builder().create()
notifier, listener = event_there.notifier_builder().create(), event_here.listener_builder().create()
wait_for(
    lambda: (
        there.dynamic_config.number_of_subscribers
        and here.dynamic_config.number_of_publishers
        and event_there.dynamic_config.number_of_listeners
        and event_here.dynamic_config.number_of_notifiers
    ),
    "the other process",
)
# iceoryx2 connects a publisher to a subscriber only when one of them is used. This wait gives the other process time to
# find the publisher and the subscriber of this process.
time.sleep(0.2)

blocks = given.mode == "listener"
Bytes = ctypes.c_uint8 * given.size
second = iox2.Duration.from_millis(1000)
#: The last received sample. It is kept because the message is read in its memory.
kept = None


def send(data):
    sample = publisher.loan_slice_uninit(given.size)
    source = data if isinstance(data, Bytes) else Bytes.from_buffer(data)
    ctypes.memmove(sample.payload_ptr, source, given.size)
    sample.assume_init().send()
    if blocks:
        notifier.notify()


def receive(timeout):
    global kept
    deadline = time.monotonic() + timeout
    while True:
        for _ in range(1024):
            sample = subscriber.receive()
            if sample is not None:
                kept = sample
                return memoryview(Bytes.from_address(sample.payload_ptr)).cast("B")
            if blocks:
                listener.timed_wait(second)
        if time.monotonic() > deadline:
            return None


def send_back(view):
    send(view.obj if isinstance(view, memoryview) else view)


run_polled(given, "0.10.0", send_back, receive)
