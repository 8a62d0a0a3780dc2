//! Whole messages: a name, a hash, and bytes with their encapsulation header.

use crate::{Cdr, CdrError, ENCAPSULATION, Element, Reader, TypeHash, Writer};

/// A message that can be published. It is generated for every `.msg` and for the parts of services and
/// actions.
pub trait Message: Element + Clone + Default + Send + Sync + 'static {
    /// Its full name, such as `std_msgs/msg/String`.
    const TYPE_NAME: &'static str;

    /// Its RIHS01 hash. Two endpoints exchange messages only if their hashes are equal.
    const TYPE_HASH: TypeHash;

    /// Its description, for tools that learn the type at run time.
    const DESCRIPTION: Description;
}

/// A type's description, as the pieces of its canonical JSON (REP 2016). The pieces are separate, so that
/// types which refer to the same type share its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// The type itself.
    pub own: &'static str,
    /// Every type that it refers to, directly or through other types, sorted by name.
    pub referenced: &'static [&'static str],
}

impl Description {
    /// Returns the whole text. The type's hash is computed from this text.
    pub fn to_json(self) -> String {
        let Self { own, referenced } = self;
        let referenced = referenced.join(", ");
        format!(r#"{{"type_description": {own}, "referenced_type_descriptions": [{referenced}]}}"#)
    }
}

/// What an endpoint tells the graph about its type.
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
    /// Returns the identity of a message.
    pub const fn of<M: Message>() -> Self {
        Self { name: M::TYPE_NAME, hash: M::TYPE_HASH, description: M::DESCRIPTION }
    }
}

/// A service type. It is generated for every `.srv`, and for the two services of every action.
pub trait Service: Send + Sync + 'static {
    /// The message that a client sends.
    type Request: Message;

    /// The message that a server answers with.
    type Response: Message;

    /// The identity of the service. A client and a server exchange messages only if their hashes are equal.
    const TYPE: TypeIdentity;

    /// The identity of the message that introspection publishes: `<name>_Event`.
    const EVENT: TypeIdentity;
}

/// An action type. It is generated for every `.action`.
pub trait Action: Send + Sync + 'static {
    /// What a client requests.
    type Goal: Message;

    /// The outcome of a goal.
    type Result: Message;

    /// The progress of a goal.
    type Feedback: Message;

    /// The service that sends a goal: its request is a goal id and a [`Action::Goal`].
    type SendGoal: Service;

    /// The service that requests a result: its response is a status and a [`Action::Result`].
    type GetResult: Service;

    /// The message that publishes feedback: a goal id and a [`Action::Feedback`].
    type FeedbackMessage: Message;
}

/// Returns the length of a message in bytes, including its header.
pub fn encoded_len<M: Cdr>(message: &M) -> usize {
    ENCAPSULATION.len() + message.end(0)
}

/// Returns the bytes of a message, including its header.
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
/// Panics if the buffer is shorter.
pub fn encode_into<M: Cdr>(message: &M, bytes: &mut [u8]) -> Result<(), CdrError> {
    let (header, body) = bytes.split_at_mut(ENCAPSULATION.len());
    header.copy_from_slice(&ENCAPSULATION);
    message.write(&mut Writer::new(body))
}

/// Reads a message. Bytes after it are ignored, because DDS adds padding.
pub fn decode<M: Cdr>(bytes: &[u8]) -> Result<M, CdrError> {
    M::read(&mut Reader::new(bytes)?)
}

/// Checks a message and borrows it in place. Bytes after it are ignored, because DDS adds padding.
pub fn view<M: Cdr>(bytes: &[u8]) -> Result<M::View<'_>, CdrError> {
    M::view(&mut Reader::new(bytes)?)
}
