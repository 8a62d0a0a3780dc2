//! The messages between a container and the processes of its components.
//!
//! The container sends [`StartRequest`] to a process. The process creates the component and sends [`StartResponse`]. After that
//! nothing is sent: the end of the connection tells the process that the container has ended.

use std::io::{self, Read, Write};

use saltus_cdr::{decode, encode};
use saltus_msgs::composition_interfaces::srv::{LoadNode_Request, LoadNode_Response};
use saltus_node::KeptMessage;
use saltus_types::Time;

/// The greatest length of a part, in bytes. It is the greatest length of a message.
const MAX_LENGTH: u64 = 960 << 20;

/// The request to create a component, which a container sends to a new process.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StartRequest {
    pub(crate) request: LoadNode_Request,
    /// The path of the library that has the component; empty if it is in Python, or in the program itself.
    pub(crate) library: String,
    /// Messages that an earlier process of the component has published, for late subscriptions.
    pub(crate) kept: Vec<KeptMessage>,
}

/// The answer of a process: its id in the graph, and the response to the request.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StartResponse {
    pub(crate) process: u64,
    pub(crate) response: LoadNode_Response,
}

impl StartRequest {
    pub(crate) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        write_part(to, &encode(&self.request).map_err(io::Error::other)?)?;
        write_part(to, self.library.as_bytes())?;
        write_number(to, self.kept.len() as u64)?;
        for message in &self.kept {
            write_part(to, message.topic.as_bytes())?;
            write_part(to, message.type_name.as_bytes())?;
            write_number(to, message.source_time.as_nanos() as u64)?;
            write_part(to, &message.bytes)?;
        }
        to.flush()
    }

    pub(crate) fn read(from: &mut impl Read) -> io::Result<Self> {
        let request = decode(&read_part(from)?).map_err(io::Error::other)?;
        let library = read_text(from)?;
        let count = read_number(from)?;
        let mut kept = Vec::new();
        for _ in 0..count {
            kept.push(KeptMessage {
                topic: read_text(from)?,
                type_name: read_text(from)?,
                source_time: Time::from_nanos(read_number(from)? as i64),
                bytes: read_part(from)?,
            });
        }
        Ok(Self { request, library, kept })
    }
}

impl StartResponse {
    pub(crate) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        write_number(to, self.process)?;
        write_part(to, &encode(&self.response).map_err(io::Error::other)?)?;
        to.flush()
    }

    pub(crate) fn read(from: &mut impl Read) -> io::Result<Self> {
        let process = read_number(from)?;
        Ok(Self { process, response: decode(&read_part(from)?).map_err(io::Error::other)? })
    }
}

fn write_number(to: &mut impl Write, number: u64) -> io::Result<()> {
    to.write_all(&number.to_le_bytes())
}

fn read_number(from: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn write_part(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    write_number(to, bytes.len() as u64)?;
    to.write_all(bytes)
}

fn read_part(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let length = read_number(from)?;
    if length > MAX_LENGTH {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a part of {length} bytes")));
    }
    let mut bytes = Vec::new();
    // The memory grows with what arrives, and not with what the length claims.
    let read = from.take(length).read_to_end(&mut bytes)?;
    if (read as u64) < length { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(bytes) }
}

fn read_text(from: &mut impl Read) -> io::Result<String> {
    String::from_utf8(read_part(from)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> StartRequest {
        let request = LoadNode_Request { package_name: "demo".into(), ..Default::default() };
        let kept = KeptMessage {
            topic: "/map".into(),
            type_name: "std_msgs/msg/String".into(),
            source_time: Time::from_nanos(-5),
            bytes: vec![1, 2, 3],
        };
        StartRequest { request, library: "/opt/libdemo.so".into(), kept: vec![kept] }
    }

    #[test]
    fn parts_are_read_as_written() {
        let mut bytes = Vec::new();
        start().write(&mut bytes).unwrap();
        assert_eq!(StartRequest::read(&mut &bytes[..]).unwrap(), start());
        let response =
            LoadNode_Response { full_node_name: "/talker".into(), success: true, ..Default::default() };
        let started = StartResponse { process: 7, response };
        let mut bytes = Vec::new();
        started.write(&mut bytes).unwrap();
        assert_eq!(StartResponse::read(&mut &bytes[..]).unwrap(), started);
    }

    #[test]
    fn what_is_cut_or_wrong_is_an_error() {
        let mut bytes = Vec::new();
        start().write(&mut bytes).unwrap();
        for length in 0..bytes.len() {
            assert!(StartRequest::read(&mut &bytes[..length]).is_err(), "{length}");
        }
        assert!(StartRequest::read(&mut &[0xff; 64][..]).is_err());
    }
}
