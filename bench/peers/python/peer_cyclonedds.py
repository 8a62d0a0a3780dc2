"""Eclipse Cyclone DDS with its default configuration and a waitset. The QoS is reliable, keep last 10."""

from dataclasses import dataclass

from cyclonedds.core import InstanceState, ReadCondition, SampleState, ViewState, WaitSet
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import sequence, uint8, uint32, uint64
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Policy, Qos
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration
from pingpong import arguments, run_polled, wait_for


@dataclass
class Payload(IdlStruct, typename="Payload"):
    """The message, with the fields of ``saltus_bench_msgs/msg/Payload``."""

    topic_id: uint32
    timestamp: uint64
    sequence_number: uint32
    data_size: uint32
    data: sequence[uint8]


given = arguments()
to, back = (f"{end}_{given.tag}" for end in (("ping", "pong") if given.role == "ping" else ("pong", "ping")))
participant = DomainParticipant(0)
qos = Qos(Policy.Reliability.Reliable(duration(seconds=1)), Policy.History.KeepLast(10))
writer = DataWriter(participant, Topic(participant, to, Payload), qos=qos)
reader = DataReader(participant, Topic(participant, back, Payload), qos=qos)
condition = ReadCondition(reader, SampleState.Any | ViewState.Any | InstanceState.Any)
waitset = WaitSet(participant)
waitset.attach(condition)
wait_for(lambda: writer.get_matched_subscriptions() and reader.get_matched_publications(), "the other process")


def send(data):
    writer.write(Payload(0, 0, 0, given.size, data))


def receive(timeout):
    while waitset.wait(duration(milliseconds=int(timeout * 1000))):
        samples = reader.take(1)
        if samples:
            return bytes(samples[0].data)
    return None


run_polled(given, "11.0.1", send, receive)
