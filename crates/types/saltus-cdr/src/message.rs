//! Whole messages: a name, a hash, and bytes with their encapsulation header.

use saltus_types::Time;

use crate::{Cdr, CdrError, ENCAPSULATION, Element, Reader, TypeHash, Writer};

/// A message that can be published. It is generated for every `.msg` and for the parts of services and
/// actions.
pub trait Message: Element + Clone + Default + Send + Sync + 'static {
    /// The full name of the type, such as `std_msgs/msg/String`.
    const TYPE_NAME: &'static str;

    /// The RIHS01 hash of the type. Two endpoints exchange messages only if their hashes are equal.
    const TYPE_HASH: TypeHash;

    /// The description of the type, for tools that know it only at run time.
    const DESCRIPTION: Description;
}

/// A message whose first field is a `std_msgs/msg/Header`. The trait is generated for each such message.
pub trait Stamped: Message {}

/// Reads the stamp in the header of a serialized message, including the encapsulation header. The rest of the message is
/// not read.
///
/// # Errors
///
/// Returns an error if the bytes are too short, or not in classic CDR.
pub fn stamp<M: Stamped>(bytes: &[u8]) -> Result<Time, CdrError> {
    let mut reader = Reader::new(bytes)?;
    let (sec, nanosec) = (i32::read(&mut reader)?, u32::read(&mut reader)?);
    Ok(Time::from_nanos(i64::from(sec) * 1_000_000_000 + i64::from(nanosec)))
}

/// The description of a type, as the parts of its canonical JSON (REP 2016). The parts are separate, so that
/// all types that refer to one type share its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// The description of the type itself.
    pub own: &'static str,
    /// The description of every type that it refers to, directly or through other types, sorted by name.
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

/// The identity of a type, which an endpoint announces in the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeIdentity {
    /// The full name of the type, such as `std_msgs/msg/String`.
    pub name: &'static str,
    /// The RIHS01 hash of the type.
    pub hash: TypeHash,
    /// The description of the type.
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

    /// The message that a server sends back.
    type Response: Message;

    /// The identity of the service. A client and a server exchange messages only if their hashes are equal.
    const TYPE: TypeIdentity;

    /// The identity of the message that introspection publishes: `<name>_Event`.
    const EVENT: TypeIdentity;
}

/// An action type. It is generated for every `.action`.
pub trait Action: Send + Sync + 'static {
    /// The message with the goal that a client sends.
    type Goal: Message;

    /// The message with the result of a goal.
    type Result: Message;

    /// The message with the progress of a goal.
    type Feedback: Message;

    /// The service that sends a goal. Its request is a goal id and an [`Action::Goal`].
    type SendGoal: Service;

    /// The service that requests a result. Its response is a status and an [`Action::Result`].
    type GetResult: Service;

    /// The message that publishes feedback: a goal id and an [`Action::Feedback`].
    type FeedbackMessage: Message;
}

/// Returns the length of a message in bytes, including its header.
pub fn encoded_len<M: Cdr>(message: &M) -> usize {
    ENCAPSULATION.len() + message.end(0)
}

/// Returns the bytes of a message, including its header.
///
/// ```
/// let bytes = saltus::cdr::encode(&String::from("hi")).unwrap();
/// assert_eq!(bytes, [0, 1, 0, 0, 3, 0, 0, 0, b'h', b'i', 0]);
/// assert_eq!(saltus::cdr::decode::<String>(&bytes).unwrap(), "hi");
/// assert_eq!(saltus::cdr::view::<String>(&bytes).unwrap(), "hi");
/// ```
pub fn encode<M: Cdr>(message: &M) -> Result<Vec<u8>, CdrError> {
    let mut bytes = vec![0; encoded_len(message)];
    encode_into(message, &mut bytes)?;
    Ok(bytes)
}

/// Writes a message into a buffer of exactly [`encoded_len`] bytes.
///
/// # Panics
/// Panics if the buffer is shorter than that.
pub fn encode_into<M: Cdr>(message: &M, bytes: &mut [u8]) -> Result<(), CdrError> {
    let (header, body) = bytes.split_at_mut(ENCAPSULATION.len());
    header.copy_from_slice(&ENCAPSULATION);
    message.write(&mut Writer::new(body))
}

/// Reads a message. Bytes after it are ignored, because DDS adds padding.
#[inline]
pub fn decode<M: Cdr>(bytes: &[u8]) -> Result<M, CdrError> {
    M::read(&mut Reader::new(bytes)?)
}

/// Checks a message and borrows it in place. Bytes after it are ignored, because DDS adds padding.
pub fn view<M: Cdr>(bytes: &[u8]) -> Result<M::View<'_>, CdrError> {
    M::view(&mut Reader::new(bytes)?)
}
