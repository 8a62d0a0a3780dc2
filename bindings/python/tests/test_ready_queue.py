"""The queue of the entities of an executor that are ready."""

from __future__ import annotations

from saltus._ready import ReadyQueue
from saltus.callback_groups import CallbackGroup, MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup


class Item:
    def __init__(self, group: CallbackGroup) -> None:
        self.callback_group = group


class Counting(MutuallyExclusiveCallbackGroup):
    """Counts how often it is asked."""

    asked = 0
    _asks_once = True

    def can_execute(self, entity: Item) -> bool:
        self.asked += 1
        return super().can_execute(entity)


class Picky(CallbackGroup):
    """Lets only one of its entities run."""

    chosen: Item | None = None

    def can_execute(self, entity: Item) -> bool:
        return entity is self.chosen


def queue_of(items: list[Item]) -> ReadyQueue:
    queue = ReadyQueue()
    for item in items:
        queue.add(item)
    return queue


def taken(queue: ReadyQueue) -> list[Item]:
    return list(iter(lambda: queue.take(lambda _: True), None))


def test_entities_of_several_groups_keep_their_order() -> None:
    groups = [MutuallyExclusiveCallbackGroup(), ReentrantCallbackGroup()]
    items = [Item(groups[number]) for number in (0, 1, 1, 0, 1)]
    queue = queue_of(items + items)
    assert len(queue) == 5 and taken(queue) == items and not queue


def test_a_busy_group_is_asked_once_for_all_its_entities() -> None:
    busy, free = Counting(), MutuallyExclusiveCallbackGroup()
    items = [Item(busy) for _ in range(1000)]
    busy.beginning_execution(items[0])
    queue = queue_of([*items, last := Item(free)])
    assert taken(queue) == [last]
    assert busy.asked == 2, "once for each call of take()"
    busy.ending_execution(items[0])
    assert taken(queue) == items


def test_a_group_with_its_own_rule_is_asked_for_each_entity() -> None:
    group = Picky()
    items = [Item(group) for _ in range(3)]
    queue = queue_of(items)
    assert taken(queue) == []
    group.chosen = items[1]
    assert taken(queue) == [items[1]] and len(queue) == 2
    group.chosen = items[0]
    assert taken(queue) == [items[0]]


class Derived(ReentrantCallbackGroup):
    """Lets only one of its entities run, although the group that it is derived from lets all of them run."""

    chosen: Item | None = None

    def can_execute(self, entity: Item) -> bool:
        return entity is self.chosen


def test_a_group_that_is_derived_with_its_own_rule_is_asked_for_each_entity() -> None:
    group = Derived()
    items = [Item(group) for _ in range(3)]
    queue = queue_of(items)
    group.chosen = items[2]
    assert taken(queue) == [items[2]]


def test_entities_that_are_gone_are_forgotten() -> None:
    group = MutuallyExclusiveCallbackGroup()
    items = [Item(group) for _ in range(4)]
    queue = queue_of(items)
    assert queue.take(lambda item: item is not items[0]) is items[1]
    queue.forget(lambda item: item is items[2])
    assert taken(queue) == [items[3]]
    queue.add(items[2])
    assert taken(queue) == [items[2]]


def test_the_queue_is_whole_after_a_rule_that_raises() -> None:
    class Raising(CallbackGroup):
        def can_execute(self, entity: Item) -> bool:
            raise KeyboardInterrupt

    items = [Item(Raising()), Item(MutuallyExclusiveCallbackGroup())]
    queue = queue_of(items)
    try:
        queue.take(lambda _: True)
        raise AssertionError("no exception")
    except KeyboardInterrupt:
        queue.forget(lambda item: False)
    items[0].callback_group.can_execute = lambda entity: True  # type: ignore[method-assign]
    assert taken(queue) == items
