"""Makes the vectors that an independent implementation vouches for: rosbags (PyPI).

    pip install rosbags==0.11.9 && python spec/vectors/generate.py

Writes, beside this file, for every bundled interface that rosbags can express (it has no wstring):
  rosbags_hashes.txt   its RIHS01 hash
  rosbags_cdr.txt      random values, serialized in both byte orders: type, little, big
"""

import random
import struct
from pathlib import Path

from rosbags.interfaces import Nodetype
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

HERE = Path(__file__).parent
INTERFACES = HERE.parent.parent / "interfaces"
VALUES_PER_TYPE = 8


def sections(path):
    parts, current = [], []
    for line in path.read_text().splitlines():
        if line == "---":
            parts.append(current)
            current = []
        else:
            current.append(line)
    return ["\n".join(part) for part in [*parts, current]]


def plain_texts():
    """Every message that has a text of its own, as (name, text)."""
    for path in sorted(INTERFACES.glob("*/msg/*.msg")):
        yield f"{path.parts[-3]}/msg/{path.stem}", path.read_text()
    for path in sorted(INTERFACES.glob("*/srv/*.srv")):
        for suffix, text in zip(["Request", "Response"], sections(path), strict=True):
            yield f"{path.parts[-3]}/srv/{path.stem}_{suffix}", text
    for path in sorted(INTERFACES.glob("*/action/*.action")):
        for suffix, text in zip(["Goal", "Result", "Feedback"], sections(path), strict=True):
            yield f"{path.parts[-3]}/action/{path.stem}_{suffix}", text


def base(name):
    return (Nodetype.BASE, (name, 0))


def ref(name):
    return (Nodetype.NAME, name)


def up_to_one(name):
    return (Nodetype.SEQUENCE, (ref(name), 1))


def implied_service(name):
    return {
        f"{name}_Event": (
            [],
            [
                ("info", ref("service_msgs/msg/ServiceEventInfo")),
                ("request", up_to_one(f"{name}_Request")),
                ("response", up_to_one(f"{name}_Response")),
            ],
        ),
        name: (
            [],
            [
                ("request_message", ref(f"{name}_Request")),
                ("response_message", ref(f"{name}_Response")),
                ("event_message", ref(f"{name}_Event")),
            ],
        ),
    }


def implied_action(name):
    uuid = ("goal_id", ref("unique_identifier_msgs/msg/UUID"))
    types = {
        f"{name}_SendGoal_Request": ([], [uuid, ("goal", ref(f"{name}_Goal"))]),
        f"{name}_SendGoal_Response": ([], [("accepted", base("bool")), ("stamp", ref("builtin_interfaces/msg/Time"))]),
        f"{name}_GetResult_Request": ([], [uuid]),
        f"{name}_GetResult_Response": ([], [("status", base("int8")), ("result", ref(f"{name}_Result"))]),
        f"{name}_FeedbackMessage": ([], [uuid, ("feedback", ref(f"{name}_Feedback"))]),
        name: (
            [],
            [
                ("goal", ref(f"{name}_Goal")),
                ("result", ref(f"{name}_Result")),
                ("feedback", ref(f"{name}_Feedback")),
                ("send_goal_service", ref(f"{name}_SendGoal")),
                ("get_result_service", ref(f"{name}_GetResult")),
                ("feedback_message", ref(f"{name}_FeedbackMessage")),
            ],
        ),
    }
    return types | implied_service(f"{name}_SendGoal") | implied_service(f"{name}_GetResult")


def without_wstring(types):
    def is_wide(field):
        kind, rest = field
        if kind == Nodetype.NAME:
            return rest.endswith("/wstring")
        return kind != Nodetype.BASE and is_wide(rest[0])

    return {name: t for name, t in types.items() if not any(is_wide(field) for _, field in t[1])}


def without_char(field):
    """rosidl turns `char` into uint8 before anything else sees it; rosbags keeps it."""
    kind, rest = field
    if kind == Nodetype.BASE:
        return base("uint8") if rest[0] == "char" else field
    return field if kind == Nodetype.NAME else (kind, (without_char(rest[0]), rest[1]))


def all_types():
    types = {}
    for name, text in plain_texts():
        package, _, base_name = name.split("/")
        # rosbags reads messages only: a part of a service is read as one, then gets its own name.
        as_message = f"{package}/msg/{base_name}"
        constants, fields = get_types_from_msg(text, as_message)[as_message]
        types[name] = constants, [(field, without_char(kind)) for field, kind in fields]
    for path in sorted(INTERFACES.glob("*/srv/*.srv")):
        types |= implied_service(f"{path.parts[-3]}/srv/{path.stem}")
    for path in sorted(INTERFACES.glob("*/action/*.action")):
        types |= implied_action(f"{path.parts[-3]}/action/{path.stem}")
    empty = [("structure_needs_at_least_one_member", base("uint8"))]
    types = {name: (constants, fields or empty) for name, (constants, fields) in types.items()}
    return without_wstring(types)


INTEGERS = {f"{sign}int{bits}": (sign == "u", bits) for sign in ["", "u"] for bits in [8, 16, 32, 64]}


def random_base(rng, kind):
    name, _ = kind
    if name == "string":
        return "".join(rng.choice("abc_/ é漢🤖") for _ in range(rng.choice([0, 1, 3, 7])))
    if name == "bool":
        return rng.random() < 0.5
    if name in ["byte", "octet"]:
        return rng.randrange(128)  # rosbags packs a lone byte as signed
    if name in INTEGERS:
        unsigned, bits = INTEGERS[name]
        return (
            rng.choice([0, 1, rng.getrandbits(bits - 1)])
            if unsigned
            else rng.randrange(-(2 ** (bits - 1)), 2 ** (bits - 1))
        )
    if name == "float32":
        return struct.unpack("<f", struct.pack("<f", rng.uniform(-1e6, 1e6)))[0]
    return rng.uniform(-1e12, 1e12)


def random_value(rng, store, field):
    import numpy

    kind, rest = field
    if kind == Nodetype.BASE:
        return random_base(rng, rest)
    if kind == Nodetype.NAME:
        return random_message(rng, store, rest)
    inner, size = rest
    if kind == Nodetype.SEQUENCE:
        size = rng.choice([0, 1, 2, 5] if not size else [0, min(size, 1), size])
    values = [random_value(rng, store, inner) for _ in range(size)]
    if inner[0] == Nodetype.BASE and inner[1][0] != "string":
        dtype = {"byte": "uint8", "octet": "uint8"}.get(inner[1][0], inner[1][0])
        return numpy.array(values, dtype=dtype)
    return values


def random_message(rng, store, name):
    fields = store.fielddefs[name][1]
    if fields[0][0] == "structure_needs_at_least_one_member":
        return store.types[name](structure_needs_at_least_one_member=0)
    return store.types[name](**{field: random_value(rng, store, kind) for field, kind in fields})


def is_exchanged(name, types):
    """Whole services, actions and events never become bytes of a topic."""
    return not (
        f"{name}_Request" in types or f"{name}_Goal" in types or name.endswith("_Event") and "/msg/" not in name
    )


def main():
    store = get_typestore(Stores.EMPTY)
    types = all_types()
    store.register(types)
    with open(HERE / "rosbags_hashes.txt", "w") as out:
        print("# Made by generate.py with rosbags: an interface and its RIHS01 hash.", file=out)
        for name in sorted(types):
            print(name, store.hash_rihs01(name), file=out)
    with open(HERE / "rosbags_cdr.txt", "w") as out:
        print("# Made by generate.py with rosbags: type, little-endian bytes, big-endian bytes.", file=out)
        for name in sorted(name for name in types if is_exchanged(name, types)):
            rng = random.Random(name)
            for _ in range(VALUES_PER_TYPE):
                message = random_message(rng, store, name)
                little = store.serialize_cdr(message, name, little_endian=True)
                big = store.serialize_cdr(message, name, little_endian=False)
                print(name, bytes(little).hex(), bytes(big).hex(), file=out)


main()
