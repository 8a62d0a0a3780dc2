//! Received messages, requests and responses.

use std::{mem, sync::Arc};

use saltus::topic::Sample;

use crate::{
    gid::Gid,
    pointers::{self, Options},
    status::{Failure, Status, create, destroy, given, place, run},
};

/// A received message. It stays in the shared memory of its publisher; nothing was copied.
///
/// A callback may use the message that it gets until it returns. saltus_message_keep() makes it last longer.
#[derive(Debug)]
pub struct Message(Held);

/// Where the message is held.
#[derive(Debug)]
enum Held {
    /// A callback has it, and nobody keeps it yet.
    Once(Sample),
    /// It is kept.
    Shared(Arc<Sample>),
    /// It was moved away. Only [`Message::keep`] leaves this state, at once.
    Moved,
}

/// The information about a message besides its bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MessageInfo {
    /// The size of this struct. saltus_message_info_init() sets it.
    pub struct_size: usize,
    /// When the message was sent, in nanoseconds since 1970.
    pub source_time: i64,
    /// When the message was received, in nanoseconds since 1970.
    pub received_time: i64,
    /// The number that the publisher gave the message. The first message has 1.
    pub sequence: u64,
    /// The number that the subscription gave the message. The first message has 1.
    pub received_sequence: u64,
    /// The gid of the publisher.
    pub publisher: Gid,
    /// 1: no other message waited when this one was taken.
    pub is_last: u8,
}

// SAFETY: it is `repr(C)`, begins with its size, and has only numbers.
unsafe impl Options for MessageInfo {
    const NAME: &str = "saltus_message_info_t";

    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>(),
            source_time: 0,
            received_time: 0,
            sequence: 0,
            received_sequence: 0,
            publisher: Gid::default(),
            is_last: 0,
        }
    }
}

impl Message {
    /// Wraps a message for the callback that gets it.
    pub(crate) fn once(sample: Sample) -> Self {
        Self(Held::Once(sample))
    }

    pub(crate) fn sample(&self) -> Option<&Sample> {
        match &self.0 {
            Held::Once(sample) => Some(sample),
            Held::Shared(sample) => Some(sample),
            Held::Moved => None,
        }
    }

    /// Returns another handle of the message.
    fn keep(&mut self) -> Option<Self> {
        let shared = match mem::replace(&mut self.0, Held::Moved) {
            Held::Once(sample) => Arc::new(sample),
            Held::Shared(sample) => sample,
            Held::Moved => return None,
        };
        self.0 = Held::Shared(shared.clone());
        Some(Self(Held::Shared(shared)))
    }
}

/// Returns the bytes of a message: the 4 bytes of the encapsulation, then its fields in CDR. They are valid as long as the
/// message.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_message_data(message: Option<&Message>) -> *const u8 {
    message.and_then(Message::sample).map_or(std::ptr::null(), |sample| sample.as_ptr())
}

/// Returns how many bytes a message has.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_message_size(message: Option<&Message>) -> usize {
    message.and_then(Message::sample).map_or(0, |sample| sample.len())
}

/// Writes the information about a message. Initialize `info` with saltus_message_info_init().
#[unsafe(no_mangle)]
pub extern "C" fn saltus_message_info(message: Option<&Message>, info: Option<&mut MessageInfo>) -> Status {
    run(|| {
        let sample =
            given(message, "message")?.sample().ok_or_else(|| Failure::argument("the message was moved"))?;
        let info = place(info, "information")?;
        let known = MessageInfo {
            struct_size: info.struct_size,
            source_time: sample.source_time().as_nanos(),
            received_time: sample.received_time().as_nanos(),
            sequence: sample.sequence(),
            received_sequence: sample.received_sequence(),
            publisher: sample.publisher().into(),
            is_last: u8::from(sample.is_last()),
        };
        pointers::write_known(info, &known)
    })
}

/// Prepares a struct for saltus_message_info(). Pass sizeof(saltus_message_info_t).
#[unsafe(no_mangle)]
pub extern "C" fn saltus_message_info_init(info: *mut MessageInfo, struct_size: usize) {
    pointers::write_defaults(info, struct_size);
}

/// Writes another handle of a message to `kept`. With it the message lasts after its callback, on any thread. Its memory is the
/// publisher's: a subscription borrows at most as many messages as its borrow limit, and copies further ones.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_message_keep(
    message: Option<&mut Message>,
    kept: Option<&mut *mut Message>,
) -> Status {
    create(kept, || {
        let message = message.ok_or_else(|| Failure::argument("expected a message, found NULL"))?;
        message.keep().ok_or_else(|| Failure::argument("the message was moved"))
    })
}

/// Destroys a handle of a message that was kept or taken.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_message_destroy(message: Option<Box<Message>>) {
    destroy(message);
}
