//! The reliable stream against a network that loses, repeats, delays and damages messages.

use std::collections::BinaryHeap;

use proptest::prelude::*;

use super::*;
use crate::{
    ids::{ClientKey, SessionId, StreamId},
    message::{MessageHeader, SUBMESSAGE_HEADER, SubmessageKind, Submessages, flags},
    payload::{AckNack, Heartbeat},
};

/// Random numbers that a seed determines (xorshift64*).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit
    }

    fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// The faults of messages on the way, in percent.
#[derive(Clone, Copy, Debug)]
struct Faults {
    lost: u64,
    repeated: u64,
    delayed: u64,
    damaged: u64,
}

/// A direction of a network: messages in flight, with the time at which each arrives.
#[derive(Debug)]
struct Link {
    faults: Faults,
    in_flight: BinaryHeap<std::cmp::Reverse<(u64, u64, Vec<u8>)>>,
    sent: u64,
}

impl Link {
    fn new(faults: Faults) -> Self {
        Self { faults, in_flight: BinaryHeap::new(), sent: 0 }
    }

    fn send(&mut self, random: &mut Random, now: u64, message: &[u8]) {
        let copies = match (random.percent(self.faults.lost), random.percent(self.faults.repeated)) {
            (true, _) => 0,
            (false, true) => 2,
            (false, false) => 1,
        };
        for _ in 0..copies {
            let delay = if random.percent(self.faults.delayed) { random.below(40) } else { 1 };
            let mut message = message.to_vec();
            // A damaged message is detected by the checksum of the transport, and dropped there.
            if random.percent(self.faults.damaged) {
                continue;
            }
            self.sent += 1;
            message.shrink_to_fit();
            self.in_flight.push(std::cmp::Reverse((now + delay * MILLISECOND, self.sent, message)));
        }
    }

    fn receive(&mut self, now: u64) -> Option<Vec<u8>> {
        let is_due = self.in_flight.peek().is_some_and(|std::cmp::Reverse((at, ..))| *at <= now);
        is_due.then(|| self.in_flight.pop()).flatten().map(|std::cmp::Reverse((.., message))| message)
    }
}

const MILLISECOND: u64 = 1_000_000;

/// Returns the `number`th submessage content of a schedule: its number, and bytes that depend on it.
fn content(number: u32, len: usize) -> Vec<u8> {
    let mut bytes = number.to_le_bytes().to_vec();
    bytes.extend((0..len).map(|index| (number as usize + index) as u8));
    bytes
}

fn sender(mtu: usize, history: usize, window: usize) -> ReliableSender {
    ReliableSender::new(SenderConfig {
        session: SessionId(0x81),
        key: ClientKey([1; 4]),
        stream: StreamId::RELIABLE,
        mtu,
        history,
        window,
        largest: usize::MAX,
        heartbeat: 20 * MILLISECOND,
    })
}

/// A receiver that puts fragments together and collects the contents of submessages.
struct Sink {
    receiver: ReliableReceiver,
    reassembly: Reassembly,
    received: Vec<Vec<u8>>,
}

impl Sink {
    fn new(history: usize) -> Self {
        let receiver = ReliableReceiver::new(StreamId::RELIABLE, history);
        Self { receiver, reassembly: Reassembly::new(1 << 16), received: Vec::new() }
    }

    fn handle(&mut self, message: &[u8]) {
        let (header, size) = MessageHeader::read(message).unwrap();
        if header.stream == StreamId::NONE {
            let submessage = Submessages::new(&message[size..]).next().unwrap().unwrap();
            let skipped = self.receiver.heartbeat(&Heartbeat::read(&mut submessage.reader()).unwrap());
            assert_eq!(skipped, 0);
        } else if self.receiver.receive(header.sequence, &message[size..]) == Received::Next {
            self.take(&message[size..]);
        }
        while let Some(stored) = self.receiver.next_stored() {
            self.take(&stored);
        }
    }

    fn take(&mut self, body: &[u8]) {
        for submessage in Submessages::new(body) {
            let submessage = submessage.unwrap();
            if submessage.kind != SubmessageKind::Fragment {
                self.received.push(submessage.payload.to_vec());
                continue;
            }
            let whole = self.reassembly.push(submessage.payload, submessage.has(flags::LAST_FRAGMENT));
            if let Reassembled::Complete(bytes) = whole {
                self.received.push(bytes[SUBMESSAGE_HEADER..].to_vec());
            }
        }
    }
}

/// Sends `count` submessages over a network with faults, and returns what was received.
fn run(seed: u64, count: u32, longest: u64, sizes: (usize, usize, usize, usize), faults: Faults) -> Sink {
    let (mtu, history, window, receive_history) = sizes;
    let mut random = Random::new(seed);
    let (mut forth, mut back) = (Link::new(faults), Link::new(faults));
    let mut sender = sender(mtu, history, window);
    let mut sink = Sink::new(receive_history);
    let mut next = 0;
    for step in 0.. {
        let now = step * MILLISECOND;
        while next < count {
            let len = (next as usize * 7919 + seed as usize % 131) % longest as usize;
            match sender.push(SubmessageKind::WriteData, 0, &[], &content(next, len)) {
                Ok(()) => next += 1,
                Err(PushError::Full { .. }) => break,
                Err(error) => panic!("{error}"),
            }
        }
        sender.poll(now, |message| forth.send(&mut random, now, message));
        if let Some(heartbeat) = sender.heartbeat(now) {
            let mut message = vec![0x81, 0, 0, 0];
            crate::message::append_submessage(
                &mut message,
                SubmessageKind::Heartbeat,
                0,
                &heartbeat.to_bytes(),
            );
            forth.send(&mut random, now, &message);
        }
        while let Some(message) = forth.receive(now) {
            sink.handle(&message);
        }
        if let Some(acknack) = sink.receiver.acknowledgement() {
            back.send(&mut random, now, &acknack.to_bytes());
        }
        while let Some(bytes) = back.receive(now) {
            let acknack = AckNack::read(&mut crate::Reader::new(&bytes, crate::ByteOrder::Little)).unwrap();
            sender.acknowledge(&acknack, now);
        }
        if next == count && sender.is_idle() {
            break;
        }
        assert!(step < 200_000, "the stream does not end: {sender:?}");
    }
    sink
}

/// The number of random schedules that a run of the tests tries.
const SCHEDULES: u32 = 100_000;

proptest! {
    #![proptest_config(ProptestConfig { cases: SCHEDULES, ..ProptestConfig::default() })]

    #[test]
    fn everything_arrives_once_and_in_order(
        seed in any::<u64>(),
        count in 1..12_u32,
        longest in 1..120_u64,
        mtu in 40..80_usize,
        history in prop_oneof![Just(4_usize), Just(8), Just(16)],
        window in 1..=16_usize,
        receive_history in prop_oneof![Just(1_usize), Just(4), Just(16)],
        lost in 0..40_u64,
        repeated in 0..30_u64,
        delayed in 0..40_u64,
        damaged in 0..10_u64,
    ) {
        let faults = Faults { lost, repeated, delayed, damaged };
        let sink = run(seed, count, longest, (mtu, history, window, receive_history), faults);
        prop_assert_eq!(sink.received.len(), count as usize);
        for (number, received) in sink.received.iter().enumerate() {
            prop_assert_eq!(received, &content(number as u32, received.len() - 4));
        }
    }
}

const NO_FAULTS: Faults = Faults { lost: 0, repeated: 0, delayed: 0, damaged: 0 };

#[test]
fn sequence_numbers_wrap_around() {
    let faults = Faults { lost: 10, repeated: 5, delayed: 5, damaged: 0 };
    let sink = run(7, 70_000, 4, (16, 16, 16, 16), faults);
    assert_eq!(sink.received.len(), 70_000);
}

#[test]
fn small_submessages_share_a_message() {
    let mut sender = sender(64, 4, 4);
    for number in 0..3 {
        sender.push(SubmessageKind::WriteData, 0, &[], &content(number, 4)).unwrap();
    }
    let mut sent = Vec::new();
    sender.poll(0, |message| sent.push(message.to_vec()));
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].len(), 4 + 3 * 12);
}

#[test]
fn nothing_follows_in_a_sealed_message() {
    let mut sender = sender(64, 4, 4);
    sender.push(SubmessageKind::Data, 0, &[], b"first").unwrap();
    sender.seal();
    sender.push(SubmessageKind::Data, 0, &[], b"other").unwrap();
    let mut sent = 0;
    sender.poll(0, |_| sent += 1);
    assert_eq!(sent, 2);
}

#[test]
fn a_submessage_that_never_fits_is_an_error_with_its_size() {
    let mut sender = sender(40, 4, 4);
    let error = sender.push(SubmessageKind::WriteData, 0, &[], &[0; 200]).unwrap_err();
    assert_eq!(error, PushError::TooLong { size: 204, largest: 4 * 32 });
    sender.push(SubmessageKind::WriteData, 0, &[], &[0; 4 * 32 - 4]).unwrap();
    let error = sender.push(SubmessageKind::WriteData, 0, &[], &[0]).unwrap_err();
    assert_eq!(error, PushError::Full { waiting: 4 });
}

#[test]
fn heartbeats_become_rarer_while_nobody_answers() {
    let mut sender = sender(64, 4, 4);
    sender.push(SubmessageKind::WriteData, 0, &[], b"text").unwrap();
    sender.poll(0, |_| {});
    let times: Vec<u64> = (0..2000).filter(|ms| sender.heartbeat(ms * MILLISECOND).is_some()).collect();
    assert_eq!(times, [20, 40, 80, 160, 320, 640, 960, 1280, 1600, 1920]);
}

#[test]
fn an_acknowledgement_of_messages_that_were_not_sent_is_ignored() {
    let mut sender = sender(64, 4, 4);
    sender.push(SubmessageKind::WriteData, 0, &[], b"text").unwrap();
    sender.poll(0, |_| {});
    let acknack =
        |first| AckNack { first: SequenceNumber(first), missing: 0xFFFF, stream: StreamId::RELIABLE };
    assert!(!sender.acknowledge(&acknack(2), 0));
    assert!(!sender.acknowledge(&acknack(40_000), 0));
    assert!(!sender.acknowledge(&acknack(65_535), 0));
    assert!(!sender.is_idle());
    assert!(sender.acknowledge(&acknack(1), 0));
    assert!(sender.is_idle());
}

#[test]
fn a_heartbeat_skips_what_the_sender_does_not_keep() {
    let mut receiver = ReliableReceiver::new(StreamId::RELIABLE, 4);
    assert_eq!(receiver.receive(SequenceNumber(5), b"early"), Received::TooEarly);
    assert_eq!(receiver.receive(SequenceNumber(3), b"3"), Received::Stored);
    let heartbeat =
        Heartbeat { first: SequenceNumber(3), last: SequenceNumber(5), stream: StreamId::RELIABLE };
    assert_eq!(receiver.heartbeat(&heartbeat), 3);
    assert_eq!(receiver.next_stored().as_deref(), Some(b"3".as_slice()));
    assert_eq!(
        receiver.state(),
        AckNack { first: SequenceNumber(4), missing: 0b11, stream: StreamId::RELIABLE }
    );
}

#[test]
fn a_submessage_beyond_the_limit_is_dropped_and_the_next_one_is_complete() {
    let mut reassembly = Reassembly::new(8);
    assert_eq!(reassembly.push(b"12345", false), Reassembled::Incomplete);
    assert_eq!(reassembly.push(b"6789", true), Reassembled::TooLong { size: 9 });
    assert_eq!(reassembly.push(b"123", true), Reassembled::Complete(b"123".to_vec()));
}

#[test]
fn a_perfect_network_needs_no_repetition() {
    let sink = run(1, 50, 100, (64, 16, 16, 16), NO_FAULTS);
    assert_eq!(sink.received.len(), 50);
}

#[test]
fn late_messages_of_a_best_effort_stream_are_dropped_and_lost_ones_are_counted() {
    let mut receiver = BestEffortReceiver::default();
    assert_eq!(receiver.accept(SequenceNumber(0)), Some(0));
    assert_eq!(receiver.accept(SequenceNumber(3)), Some(2));
    assert_eq!(receiver.accept(SequenceNumber(2)), None);
}
