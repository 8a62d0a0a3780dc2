"""Filters for messages. The algorithms are tested in the crate saltus-filters."""

import pytest
from saltus import message_filters
from saltus.clock_type import ClockType
from saltus.duration import Duration
from saltus.message_filters import (
    ApproximateTime,
    ApproximateTimeSynchronizer,
    Cache,
    Chain,
    LatestTime,
    SimpleFilter,
    TimeSequencer,
    TimeSynchronizer,
)
from saltus.msgs.geometry_msgs.msg import PointStamped
from saltus.msgs.std_msgs.msg import Header, UInt64
from saltus.time import Time


def at(nanos):
    """Returns a message with a stamp in nanoseconds."""
    return PointStamped(header=Header(stamp=Time(nanoseconds=nanos).to_msg()))


def nanos(*messages):
    return [message.header.stamp.nanosec for message in messages]


class Sets:
    """Two inputs of a filter, and what it calls back with."""

    def __init__(self, make):
        self.inputs = [SimpleFilter(), SimpleFilter()]
        self.received = []
        self.filter = make(self.inputs)
        self.filter.registerCallback(lambda *messages: self.received.append(nanos(*messages)))

    def add(self, index, stamp):
        self.inputs[index].signalMessage(at(stamp))


def test_callbacks_get_their_own_arguments():
    received = []
    one = SimpleFilter()
    assert [one.registerCallback(lambda *all: received.append(all), number) for number in (7, 8)] == [0, 1]
    one.signalMessage("a", "b")
    assert received == [("a", "b", 7), ("a", "b", 8)]


def test_equal_stamps_are_a_set():
    sets = Sets(lambda inputs: TimeSynchronizer(inputs, 2))
    for index, stamp in ((0, 1), (0, 2), (1, 2), (1, 1), (0, 3), (0, 4), (0, 5), (1, 3), (1, 5)):
        sets.add(index, stamp)
    assert sets.received == [[2, 2], [1, 1], [5, 5]]


def test_stamps_within_the_tolerance_are_a_set():
    sets = Sets(lambda inputs: ApproximateTimeSynchronizer(inputs, 10, 1e-8))
    for index, stamp in ((0, 100), (0, 106), (1, 105), (1, 120), (0, 130)):
        sets.add(index, stamp)
    # The closest one is taken. A difference of the tolerance itself is too large.
    assert sets.received == [[106, 105]]
    sets.add(1, 139)
    assert sets.received == [[106, 105], [130, 139]]


def test_a_message_without_header_needs_permission(capfd):
    received = []
    for allowed in (False, True):
        source = SimpleFilter()
        ApproximateTimeSynchronizer([source], 10, 0.1, allow_headerless=allowed).registerCallback(received.append)
        cache = Cache(source, 2, allow_headerless=allowed)
        source.signalMessage(UInt64(data=5))
        assert (len(received), len(cache.cache_msgs)) == (int(allowed), int(allowed))
    assert "allow_headerless" in capfd.readouterr().err


def test_similar_stamps_are_a_set_without_a_tolerance():
    sets = Sets(lambda inputs: ApproximateTime(inputs, 10))
    for index, stamp in ((0, 0), (1, 7), (0, 12), (1, 15), (0, 17), (1, 18)):
        sets.add(index, stamp)
    assert (sets.received, sets.filter.dropped) == ([[12, 7], [17, 18]], 2)


def test_the_parameters_of_similar_stamps_have_an_effect():
    messages = ((0, 0), (1, 2), (0, 10), (1, 11), (0, 20), (1, 22), (0, 30))
    longest = Sets(lambda inputs: ApproximateTime(inputs, 10, max_interval_duration=Duration(nanoseconds=1)))
    bounds = [Duration(nanoseconds=10), Duration(nanoseconds=9)]
    bounded = Sets(lambda inputs: ApproximateTime(inputs, 10, age_penalty=0.0, inter_message_lower_bounds=bounds))
    for index, stamp in messages:
        longest.add(index, stamp)
        bounded.add(index, stamp)
    assert longest.received == [[10, 11]]
    assert bounded.received == [[0, 2], [10, 11], [20, 22]]
    for wrong in ({"queue_size": 0}, {"age_penalty": -1.0}, {"inter_message_lower_bounds": bounds * 2}):
        with pytest.raises(ValueError):
            ApproximateTime([SimpleFilter()] * 2, **{"queue_size": 5, **wrong})


def test_the_fastest_input_leads():
    class Clock:
        time = 0

        def now(self):
            return Time(nanoseconds=self.time)

    clock = Clock()
    sets = Sets(lambda inputs: LatestTime(inputs, clock))
    for clock.time, index in ((0, 0), (1, 1), (10, 0), (20, 0), (30, 0), (31, 1), (40, 0)):
        clock.time *= 1_000_000
        sets.add(index, clock.time)
    assert [messages[0] // 1_000_000 for messages in sets.received] == [10, 20, 30, 40]
    for wrong in ([], [(float("nan"), 0.3, 10.0)], [(0.9, 2.0, 10.0)]):
        with pytest.raises(ValueError):
            LatestTime([SimpleFilter()], rate_configs=wrong)


def test_a_cache_finds_messages_by_time():
    source, passed = SimpleFilter(), []
    cache = Cache(source, 3)
    cache.registerCallback(passed.append)
    assert (cache.getLast(), cache.getOldestTime()) == (None, None)
    for stamp in (10, 20, 30, 40):
        source.signalMessage(at(stamp))

    def time(nanoseconds):
        return Time(nanoseconds=nanoseconds, clock_type=ClockType.ROS_TIME)

    assert nanos(*passed) == [10, 20, 30, 40]
    assert nanos(*cache.getInterval(time(20), time(35))) == [20, 30]
    assert nanos(cache.getElemAfterTime(time(30)), cache.getElemBeforeTime(time(30))) == [30, 30]
    assert (cache.getElemAfterTime(time(41)), cache.getElemBeforeTime(time(19))) == (None, None)
    assert (cache.getOldestTime(), cache.getLastestTime()) == (time(20), time(40))
    assert nanos(cache.getLast()) == [40]


def test_a_sequencer_sorts_and_delays(saltus, node):
    source, received = SimpleFilter(), []
    sequencer = TimeSequencer(source, Duration(seconds=0), Duration(nanoseconds=1_000_000), 10, node)
    sequencer.registerCallback(received.append)
    for stamp in (3, 1, 2):
        source.signalMessage(at(stamp))
    while len(received) < 3:
        saltus.spin_once(node, timeout_sec=10.0)
    source.signalMessage(at(1))
    assert (nanos(*received), sequencer.dropped) == ([1, 2, 3], 1)


def test_a_chain_is_one_filter():
    class Double(SimpleFilter):
        def add(self, number):
            self.signalMessage(2 * number)

    source, received = SimpleFilter(), []
    Chain(source, Double(), Double()).registerCallback(received.append)
    Chain(source).registerCallback(received.append)
    source.signalMessage(3)
    assert received == [12, 3]


def test_subscribers_are_the_first_filters(saltus, node):
    received = []
    subscribers = [message_filters.Subscriber(node, PointStamped, name) for name in ("left", "right")]
    pairs = ApproximateTimeSynchronizer(subscribers, 10, 0.1)
    pairs.registerCallback(lambda left, right: received.append(nanos(left, right)))
    assert (subscribers[0].getTopic(), subscribers[0].topic_name) == ("left", "/left")
    publishers = [node.create_publisher(PointStamped, name, 10) for name in ("left", "right")]
    for number, publisher in enumerate(publishers):
        assert publisher.wait_for_subscriptions(1, 10.0)
        publisher.publish(at(5 + number))
    while not received:
        saltus.spin_once(node, timeout_sec=10.0)
    assert received == [[5, 6]]


def test_a_callback_may_add_messages_and_sets_stay_in_order():
    sets = Sets(lambda inputs: TimeSynchronizer(inputs, 10))

    def answer(left, right):
        if nanos(left) == [1]:
            sets.add(0, 2)
            sets.add(1, 2)

    sets.filter.registerCallback(answer)
    sets.add(0, 1)
    sets.add(1, 1)
    assert sets.received == [[1, 1], [2, 2]]


def test_sets_after_an_exception_are_delivered_with_the_next_message():
    sets = Sets(lambda inputs: ApproximateTime(inputs, 10))
    fails = [True]

    def fail(*_):
        if fails.pop():
            raise RuntimeError("as planned")

    sets.filter.callbacks = {0: (fail, ()), **{number + 1: one for number, one in sets.filter.callbacks.items()}}
    for index, stamp in ((0, 0), (1, 1), (1, 3)):
        sets.add(index, stamp)
    with pytest.raises(RuntimeError, match="as planned"):
        sets.add(0, 3)
    assert sets.received == []
    fails.extend([False, False])
    sets.add(0, 9)
    assert sets.received == [[3, 3]]


def test_a_message_that_uses_the_filter_when_it_is_dropped_does_no_harm():
    class Message:
        def __init__(self, stamp):
            self.header = at(stamp).header

        def __del__(self):
            try:
                dropped.append(sets.filter.dropped)
            except RuntimeError:
                dropped.append(None)

    dropped = []
    sets = Sets(lambda inputs: ApproximateTime(inputs, 1))
    for stamp in range(5):
        sets.inputs[0].signalMessage(Message(stamp))
    assert (sets.filter.dropped, len(dropped)) == (4, 4)


def test_stamps_before_1970_are_accepted():
    sets = Sets(lambda inputs: TimeSynchronizer(inputs, 10))
    early = PointStamped()
    early.header.stamp.sec = -1
    for source in sets.inputs:
        source.signalMessage(early)
    assert len(sets.received) == 1
