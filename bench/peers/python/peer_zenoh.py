"""zenoh in the mode `peer`, between two processes. `tcp` uses no shared memory.

In `tcp-shm`, both processes have a provider, which allocates messages in shared memory. In `query-tcp`, ping sends
queries.
"""

import queue

import zenoh
from pingpong import Ping, Pong, arguments, run_polled, wait_for

given = arguments()
is_shared = given.mode.endswith("shm")


def port(tag):
    """Returns a port that depends on the tag. It is above the ports that Linux assigns automatically."""
    hashed = 7
    for byte in tag.encode():
        hashed = (hashed * 31 + byte) & 0xFFFFFFFF
    return 61_000 + hashed % 4_000


endpoint = f'["tcp/127.0.0.1:{port(given.tag)}"]'
config = zenoh.Config()
for key, value in (
    ("mode", '"peer"'),
    ("scouting/multicast/enabled", "false"),
    ("listen/endpoints", endpoint if given.role == "pong" else "[]"),
    ("connect/endpoints", endpoint if given.role == "ping" else "[]"),
    ("connect/timeout_ms", "5000"),
    ("connect/exit_on_failure", "false"),
    ("transport/shared_memory/enabled", "true" if is_shared else "false"),
):
    config.insert_json5(key, value)
to, back = (f"{end}/{given.tag}" for end in (("ping", "pong") if given.role == "ping" else ("pong", "ping")))
session = zenoh.open(config)
VERSION = "1.10.2"

if is_shared:
    provider = zenoh.shm.ShmProvider.default_backend(32 << 20)
    policy = zenoh.shm.BlockOn(zenoh.shm.GarbageCollect())

    def filled(data):
        """Returns a message with the data, which is copied once into shared memory."""
        buffer = provider.alloc(len(data), policy=policy)
        buffer[:] = data
        return zenoh.ZBytes(buffer)
else:

    def filled(data):
        return bytes(data)


def query():
    """Exchanges queries and replies, instead of messages."""
    if given.role == "pong":
        pong, over = Pong(given), queue.SimpleQueue()

        def answer(query):
            data = query.payload.to_bytes()
            if not pong.note(data):
                over.put(None)
            query.reply(given.tag, data)

        queryable = session.declare_queryable(given.tag, answer, complete=True)
        over.get(timeout=given.seconds * 2 + 20)
        queryable.undeclare()
        return pong.report()
    querier = session.declare_querier(
        given.tag, congestion_control=zenoh.CongestionControl.BLOCK, express=True, timeout=1.0
    )
    wait_for(lambda: querier.matching_status.matching, "the other process")
    ping = Ping(given)

    def ask():
        for reply in querier.get(payload=bytes(ping.data)):
            if reply.ok is not None:
                return reply.ok.payload.to_bytes()
        return None

    while ping.begin():
        reply = ask()
        if reply is None or not ping.check(reply):
            ping.miss()
    ping.end()
    ask()
    ping.report(VERSION)


def topic():
    """Exchanges messages in both directions. Pong answers in the library's callback."""
    publisher = session.declare_publisher(to, congestion_control=zenoh.CongestionControl.BLOCK, express=True)
    received = queue.SimpleQueue()
    if given.role == "pong":
        pong = Pong(given)

        def on_sample(sample):
            data = sample.payload.to_bytes()
            if pong.note(data):
                publisher.put(filled(data))
            else:
                received.put(None)

        subscriber = session.declare_subscriber(back, on_sample)
        wait_for(lambda: publisher.matching_status.matching, "the other process")
        received.get(timeout=given.seconds * 2 + 20)
        subscriber.undeclare()
        return pong.report()
    subscriber = session.declare_subscriber(back, lambda sample: received.put(sample.payload.to_bytes()))
    wait_for(lambda: publisher.matching_status.matching, "the other process")

    def receive(timeout):
        try:
            return received.get(timeout=timeout)
        except queue.Empty:
            return None

    run_polled(given, VERSION, lambda data: publisher.put(filled(data)), receive)
    subscriber.undeclare()


with session:
    query() if given.mode.startswith("query") else topic()
