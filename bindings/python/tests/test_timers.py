"""Timers, clocks, rates and guard conditions."""

import threading
import time

import pytest
from saltus.clock import Clock, ClockChange, ClockType, JumpThreshold
from saltus.duration import Duration
from saltus.exceptions import (
    InvalidPeriodError,
    ROSInterruptException,
)
from saltus.msgs.builtin_interfaces.msg import Time as TimeMessage
from saltus.msgs.rosgraph_msgs.msg import Clock as ClockMessage
from saltus.parameter import Parameter
from saltus.time import Time
from spinning import LONG, spin_quietly, spin_until


def test_a_timer_can_be_cancelled_and_reset_in_its_own_callback(saltus, node):
    calls = []

    def cancel_and_reset():
        calls.append(timer.time_since_last_call())
        timer.cancel()
        if len(calls) < 3:
            timer.reset()

    timer = node.create_timer(0.002, cancel_and_reset, autostart=False)
    assert timer.is_canceled() and timer.time_until_next_call() is None
    timer.reset()
    spin_until(saltus, [node], lambda: len(calls) == 3)
    assert timer.is_canceled() and not timer.is_ready()
    saltus.spin_once(node, timeout_sec=0.01)
    assert len(calls) == 3
    timer.timer_period_ns = 5_000_000
    assert timer.timer_period_ns == 5_000_000 and timer.clock is node.get_clock()
    assert node.destroy_timer(timer) and not node.destroy_timer(timer)


def test_a_timer_that_another_callback_has_cancelled_is_not_called(saltus, node):
    calls = []
    first = node.create_timer(0.001, lambda: (calls.append("first"), second.cancel(), first.cancel()))
    second = node.create_timer(0.001, lambda: (calls.append("second"), second.cancel(), first.cancel()))
    end = time.monotonic() + 0.01
    while time.monotonic() < end:
        pass
    for _ in range(4):
        saltus.spin_once(node, timeout_sec=0)
    assert calls == ["first"]


def test_guard_conditions_and_rates(saltus, node):
    calls = []
    guard = node.create_guard_condition(lambda: calls.append(threading.current_thread()))
    threads = [threading.Thread(target=guard.trigger) for _ in range(3)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    spin_until(saltus, [node], lambda: calls)
    assert calls == [threading.main_thread()]
    rate = node.create_rate(500.0)
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    thread = threading.Thread(target=spin_quietly, args=(executor,))
    thread.start()
    rate.sleep()
    began = time.monotonic()
    for _ in range(5):
        rate.sleep()
    # The five sleeps end at times that are 2 ms apart. The first sleep may end late, by less than one period.
    assert time.monotonic() - began >= 3 * 0.002
    slow_rate = node.create_rate(0.01)
    threading.Thread(target=lambda: node.context.shutdown()).start()
    with pytest.raises(ROSInterruptException):
        slow_rate.sleep()
    thread.join()


def test_clocks_timers_and_jump_callbacks_follow_simulated_time(saltus, node):
    jumps, calls = [], []
    clock = node.get_clock()
    threshold = JumpThreshold(min_forward=Duration(seconds=1), min_backward=None, on_clock_change=True)
    handle = clock.create_jump_callback(threshold, post_callback=lambda jump: jumps.append(jump.clock_change))
    node.set_parameters([Parameter("use_sim_time", value=True)])
    assert clock.ros_time_is_active and jumps == [ClockChange.ROS_TIME_ACTIVATED]
    node.create_timer(1.0, lambda: calls.append(clock.now().nanoseconds))
    publisher = node.create_publisher(ClockMessage, "/clock", 10)
    for second in (10, 11, 12):
        publisher.publish(ClockMessage(clock=TimeMessage(sec=second)))
        spin_until(
            saltus, [node], lambda second=second: clock.now() >= Time(seconds=second, clock_type=ClockType.ROS_TIME)
        )
    spin_until(saltus, [node], lambda: len(calls) == 2)
    assert clock.now().seconds_nanoseconds() == (12, 0)
    handle.unregister()
    with pytest.raises(TypeError):
        clock.now() < Clock().now()


def test_clocks_sleep_until_a_time_or_a_shutdown(saltus, node):
    clock = Clock(clock_type=ClockType.STEADY_TIME)
    before = clock.now()
    assert clock.sleep_for(Duration(nanoseconds=2_000_000))
    assert clock.now() - before >= Duration(nanoseconds=2_000_000)
    threading.Timer(0.02, saltus.shutdown).start()
    assert not clock.sleep_for(Duration(seconds=100), context=node.context)


@pytest.mark.parametrize("period", [0, -1])
def test_a_period_that_is_not_positive_is_rejected(node, period):
    with pytest.raises(InvalidPeriodError):
        node.create_timer(period, print)


def test_a_rate_keeps_a_time_that_has_passed_during_the_work(saltus, node):
    rate = node.create_rate(1000.0)
    spin_until(saltus, [node], lambda: rate._count)
    # Nobody spins the node now, so a sleep that waited for the next time would not end.
    sleeping = threading.Thread(target=rate.sleep, daemon=True)
    sleeping.start()
    sleeping.join(LONG)
    assert not sleeping.is_alive()
    slept = []

    def sleep_twice():
        for _ in range(2):
            rate.sleep()
            slept.append(rate._count)

    sleeping = threading.Thread(target=sleep_twice, daemon=True)
    sleeping.start()
    spin_until(saltus, [node], lambda: len(slept) == 2)
    assert slept[1] > slept[0], "the second sleep has waited for another time"
