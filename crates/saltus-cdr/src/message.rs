//! Whole messages: a name, a hash, and bytes with their encapsulation header.

use crate::{Cdr, CdrError, ENCAPSULATION, Element, Reader, TypeHash, Writer};

/// A message that can be published: generated for every `.msg` and for the parts of services and
/// actions.
pub trait Message: Element + Clone + Default + Send + Sync + 'static {
    /// Its full name, such as `std_msgs/msg/String`.
    const TYPE_NAME: &'static str;

    /// Its RIHS01 hash: two ends exchange messages only if theirs are equal.
    const TYPE_HASH: TypeHash;

    /// Its description, for those who meet it at run time.
    const DESCRIPTION: Description;
}

/// A type's description, in the pieces of its canonical JSON (REP 2016), so that types which refer to
/// the same one share its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// The type itself.
    pub own: &'static str,
    /// Every type that it refers to, directly or through others, by name.
    pub referenced: &'static [&'static str],
}

impl Description {
    /// The whole text, which the type's hash is taken of.
    pub fn to_json(self) -> String {
        let Self { own, referenced } = self;
        let referenced = referenced.join(", ");
        format!(r#"{{"type_description": {own}, "referenced_type_descriptions": [{referenced}]}}"#)
    }
}

/// What the graph is told of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeIdentity {
    /// Its full name, such as `std_msgs/msg/String`.
    pub name: &'static str,
    /// Its RIHS01 hash.
    pub hash: TypeHash,
    /// Its description.
    pub description: Description,
}

impl TypeIdentity {
    /// That of a message.
    pub const fn of<M: Message>() -> Self {
        Self { name: M::TYPE_NAME, hash: M::TYPE_HASH, description: M::DESCRIPTION }
    }
}

/// A service type: generated for every `.srv`, and for the two that an action implies.
pub trait Service: Send + Sync + 'static {
    /// What a client asks.
    type Request: Message;

    /// What a server answers.
    type Response: Message;

    /// The service itself: a client and a server exchange messages only if their hashes are equal.
    const TYPE: TypeIdentity;

    /// What introspection publishes: `<name>_Event`.
    const EVENT: TypeIdentity;
}

/// An action type: generated for every `.action`.
pub trait Action: Send + Sync + 'static {
    /// What a client wants done.
    type Goal: Message;

    /// What came of it.
    type Result: Message;

    /// How far it is.
    type Feedback: Message;

    /// By which a goal is sent: its request is a goal id and a [`Action::Goal`].
    type SendGoal: Service;

    /// By which a result is asked for: its response is a status and a [`Action::Result`].
    type GetResult: Service;

    /// By which feedback is published: a goal id and a [`Action::Feedback`].
    type FeedbackMessage: Message;
}

/// The length of a message in bytes, its header included.
pub fn encoded_len<M: Cdr>(message: &M) -> usize {
    ENCAPSULATION.len() + message.end(0)
}

/// The bytes of a message, its header included.
///
/// ```
/// let bytes = saltus_cdr::encode(&String::from("hi")).unwrap();
/// assert_eq!(bytes, [0, 1, 0, 0, 3, 0, 0, 0, b'h', b'i', 0]);
/// assert_eq!(saltus_cdr::decode::<String>(&bytes).unwrap(), "hi");
/// assert_eq!(saltus_cdr::view::<String>(&bytes).unwrap(), "hi");
/// ```
pub fn encode<M: Cdr>(message: &M) -> Result<Vec<u8>, CdrError> {
    let mut bytes = vec![0; encoded_len(message)];
    encode_into(message, &mut bytes)?;
    Ok(bytes)
}

/// Writes a message into a buffer of exactly [`encoded_len`] bytes.
///
/// # Panics
/// If the buffer is shorter.
pub fn encode_into<M: Cdr>(message: &M, bytes: &mut [u8]) -> Result<(), CdrError> {
    let (header, body) = bytes.split_at_mut(ENCAPSULATION.len());
    header.copy_from_slice(&ENCAPSULATION);
    message.write(&mut Writer::new(body))
}

/// Reads a message. Bytes behind it are ignored: DDS pads.
pub fn decode<M: Cdr>(bytes: &[u8]) -> Result<M, CdrError> {
    M::read(&mut Reader::new(bytes)?)
}

/// Checks a message and borrows it in place. Bytes behind it are ignored: DDS pads.
pub fn view<M: Cdr>(bytes: &[u8]) -> Result<M::View<'_>, CdrError> {
    M::view(&mut Reader::new(bytes)?)
}
