//! Messages in frames of a CAN-FD bus: the first byte of a frame is the length of the message, which follows.
//!
//! The frame can be longer than the message, because only some lengths of frames exist. A message that does not fit
//! into a frame must be sent in fragments.

/// The longest message in a frame, in bytes.
pub const CAN_MTU: usize = 63;

/// Writes a message into the data of a frame. Returns `None` if the message is too long.
///
/// ```
/// let mut data = Vec::new();
/// saltus_xrce::write_can_frame(b"text", &mut data).unwrap();
/// assert_eq!(data, b"\x04text");
/// ```
pub fn write_can_frame(message: &[u8], data: &mut Vec<u8>) -> Option<()> {
    let len = u8::try_from(message.len()).ok().filter(|len| usize::from(*len) <= CAN_MTU)?;
    data.push(len);
    data.extend_from_slice(message);
    Some(())
}

/// Returns the message in the data of a frame; `None` if the frame is shorter than it says.
///
/// ```
/// assert_eq!(saltus_xrce::can_message(b"\x04text padding"), Some(b"text".as_slice()));
/// assert_eq!(saltus_xrce::can_message(b"\x05text"), None);
/// ```
pub fn can_message(data: &[u8]) -> Option<&[u8]> {
    let (len, rest) = data.split_first()?;
    rest.get(..usize::from(*len))
}
