//! Tests of senders and receivers of one process: the end of a queue, corrupt memory, and a system clock that is set.

use std::{sync::Arc, time::Duration};

use saltus_types::{Gid, LossCause};

use crate::{
    counters::EndpointCounters,
    membership::{DomainId, Membership},
    memory::Memory,
    os::{segment::Mapped, wake_pipe::WakePipe},
    receiver::Receiver,
    records,
    retired::RetiredQueues,
    sender::{QueueSpec, Sender, SenderOptions},
};

/// The memory of the only member of a domain.
struct Fixture {
    memory: Arc<Memory>,
    retired: Arc<RetiredQueues>,
    _pipe: Arc<WakePipe>,
    _root: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let root = tempfile::TempDir::new_in("/dev/shm").unwrap();
        let domain = DomainId::in_folder(root.path(), 0);
        let prepare = |segment: &crate::os::segment::Segment| {
            segment.commit(0, 4096)?;
            records::prepare(segment)?;
            segment.get::<crate::header::SegmentHeader>(0).unwrap().publish();
            Ok(())
        };
        let (membership, pipe) = Membership::join(&domain, prepare).unwrap();
        let pipe = Arc::new(pipe);
        let memory = Arc::new(Memory::new(membership, &pipe).unwrap());
        Self { memory, retired: Arc::default(), _pipe: pipe, _root: root }
    }

    fn counters(&self) -> Mapped<EndpointCounters> {
        self.memory.open_endpoint_counters().unwrap().0
    }

    fn sender(&self, options: SenderOptions) -> Sender {
        let gid = Gid::from_parts(1, 1);
        Sender::new(gid, self.memory.clone(), self.retired.clone(), self.counters(), options)
    }

    /// Creates a receiver that keeps ten messages. Returns it and the offset of its port.
    fn receiver(&self) -> (Receiver, u64) {
        let (port, offset) = self.memory.open_port().unwrap();
        (Receiver::new(self.memory.clone(), self.counters(), port, Some(10)), offset)
    }

    /// Connects a receiver to a sender, whose serial number is `number`.
    fn connect(&self, sender: &Sender, number: u64, (receiver, port): &(Receiver, u64)) {
        let spec = QueueSpec {
            receiver: Gid::from_parts(1, 2),
            serial: 2,
            port: *port,
            key: 0,
            depth: 10,
            keep_all: false,
            max_kept: 10,
            lifespan: sender_lifespan(),
            lease: 0,
        };
        let link = &self.memory.link;
        let add_record = |_: &_| self.memory.records.lock().add(&[number as u8]);
        let queue = sender.connect(&spec, link, add_record).unwrap();
        assert!(receiver.attach(number, &queue, link, Arc::new(())).unwrap());
    }
}

fn sender_lifespan() -> u64 {
    Duration::from_secs(60).as_nanos() as u64
}

/// A user who asks `has_message` before each `take` does not call `take` again after the last message.
#[test]
fn the_last_message_of_a_closed_sender_frees_its_queue() {
    let fixture = Fixture::new();
    let (sender, receiver) = (fixture.sender(SenderOptions::default()), fixture.receiver());
    fixture.connect(&sender, 1, &receiver);
    (0..2).for_each(|_| sender.send_bytes(&[1], None).unwrap());
    sender.close();
    receiver.0.end(|number, _| number == 1);
    fixture.retired.free_unused(&fixture.memory);
    assert!(!fixture.retired.is_empty());
    while receiver.0.has_message() {
        drop(receiver.0.take(|_| ()).unwrap());
    }
    fixture.retired.free_unused(&fixture.memory);
    assert!(fixture.retired.is_empty());
}

/// An executor does not call `take` again after a sample that is the last.
#[test]
fn a_sample_is_the_last_only_if_no_other_message_waits() {
    let fixture = Fixture::new();
    let (sender, receiver) = (fixture.sender(SenderOptions::default()), fixture.receiver());
    fixture.connect(&sender, 1, &receiver);
    (0..3).for_each(|_| sender.send_bytes(&[1], None).unwrap());
    let take = || receiver.0.take(|_| ()).unwrap().is_last();
    assert_eq!([take(), take(), take()], [false, false, true]);
    // The same is true of copies.
    receiver.0.set_borrow_limit(0);
    (0..2).for_each(|_| sender.send_bytes(&[1], None).unwrap());
    assert_eq!([take(), take()], [false, true]);
    let other = fixture.sender(SenderOptions::default());
    fixture.connect(&other, 3, &receiver);
    sender.send_bytes(&[1], None).unwrap();
    other.send_bytes(&[1], None).unwrap();
    assert!(!take(), "a message of another sender waits");
}

#[test]
fn a_timer_of_a_callback_keeps_neither_the_message_nor_the_queue() {
    let fixture = Fixture::new();
    let (sender, receiver) = (fixture.sender(SenderOptions::default()), fixture.receiver());
    fixture.connect(&sender, 1, &receiver);
    sender.send_bytes(&[1], None).unwrap();
    let timer = receiver.0.take(|_| ()).unwrap().callback_timer();
    timer.callback_returned();
    sender.close();
    receiver.0.end(|number, _| number == 1);
    assert!(receiver.0.take(|_| ()).is_none());
    fixture.retired.free_unused(&fixture.memory);
    assert!(fixture.retired.is_empty());
    timer.callback_returned();
}

/// Only a sender whose memory is corrupt causes this loss.
#[test]
fn an_invalid_descriptor_is_counted_and_the_message_after_it_is_taken() {
    let fixture = Fixture::new();
    let (sender, receiver) = (fixture.sender(SenderOptions::default()), fixture.receiver());
    fixture.connect(&sender, 1, &receiver);
    for descriptor in [1, 64 << 29] {
        sender.push_raw(descriptor);
    }
    sender.send_bytes(&[7], None).unwrap();
    assert_eq!(*receiver.0.take(|_| ()).unwrap(), [7]);
    let losses = receiver.0.status().losses;
    assert_eq!((losses[LossCause::Corrupt], losses.total()), (2, 2));
}

/// An hour in nanoseconds. The system clock is set by this.
const STEP: i64 = 3_600_000_000_000;

/// Changes the messages of a sender as if the system clock had been set forward by `nanos` after they were sent.
fn set_clock(sender: &Sender, nanos: i64) {
    sender.lock().pool.sent().for_each(|header| header.shift_source_time(-nanos));
}

#[test]
fn setting_the_system_clock_expires_no_message() {
    let fixture = Fixture::new();
    let lifespan = Some(sender_lifespan() as i64);
    let sender = fixture.sender(SenderOptions { kept: 10, lifespan, ..SenderOptions::default() });
    let receiver = fixture.receiver();
    fixture.connect(&sender, 1, &receiver);
    for step in [STEP, -2 * STEP] {
        sender.send_bytes(b"young", None).unwrap();
        set_clock(&sender, step);
        assert_eq!(receiver.0.take(|_| ()).as_deref(), Some(&b"young"[..]), "{step}");
        let late = fixture.receiver();
        fixture.connect(&sender, 1, &late);
        assert_eq!(late.0.take(|_| ()).as_deref(), Some(&b"young"[..]), "kept for late joiners, {step}");
    }
    assert_eq!(receiver.0.status().losses.total(), 0);
}

#[test]
fn setting_the_system_clock_does_not_change_the_order_of_messages() {
    let fixture = Fixture::new();
    let [first, second] = [(); 2].map(|()| fixture.sender(SenderOptions::default()));
    let receiver = fixture.receiver();
    fixture.connect(&first, 1, &receiver);
    fixture.connect(&second, 2, &receiver);
    first.send_bytes(b"first", None).unwrap();
    set_clock(&first, -STEP);
    second.send_bytes(b"second", None).unwrap();
    assert_eq!(*receiver.0.take(|_| ()).unwrap(), *b"first");
    assert_eq!(*receiver.0.take(|_| ()).unwrap(), *b"second");
}
