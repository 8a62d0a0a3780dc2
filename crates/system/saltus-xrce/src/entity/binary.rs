//! The binary form of objects.

use super::model::{Definition, Endpoint, EndpointQos, Service, Topic, TopicReference, unsupported};
use crate::{
    WireError,
    cursor::{Reader, Writer},
    ids::{ObjectId, ObjectKind},
};

/// The flags of a quality of service.
mod flag {
    pub(super) const RELIABLE: u16 = 1;
    pub(super) const KEEP_LAST: u16 = 2;
    pub(super) const TRANSIENT_LOCAL: u16 = 8;
    pub(super) const TRANSIENT: u16 = 16;
    pub(super) const PERSISTENT: u16 = 32;
}

pub(super) fn read(kind: ObjectKind, reader: &mut Reader<'_>) -> Result<Definition, WireError> {
    Ok(match kind {
        ObjectKind::Participant => {
            let _domain = reader.optional(Reader::string)?;
            let name = reader.optional(Reader::string)?;
            Definition::Participant { name: name.map(str::to_owned) }
        }
        ObjectKind::Topic => Definition::Topic(read_topic(reader)?),
        // Names, partitions and group data of publishers and subscribers have no meaning in ROS 2.
        ObjectKind::Publisher => Definition::Publisher,
        ObjectKind::Subscriber => Definition::Subscriber,
        ObjectKind::DataWriter => Definition::DataWriter(read_endpoint(reader, EndpointQos::WRITER)?),
        ObjectKind::DataReader => Definition::DataReader(read_endpoint(reader, EndpointQos::READER)?),
        ObjectKind::Requester => Definition::Requester(read_service(reader)?),
        ObjectKind::Replier => Definition::Replier(read_service(reader)?),
        _ => return Err(unsupported(kind)),
    })
}

fn read_topic(reader: &mut Reader<'_>) -> Result<Topic, WireError> {
    let name = reader.string()?.to_owned();
    let _reference = reader.optional(Reader::string)?;
    let type_name = reader.optional(Reader::string)?.unwrap_or_default().to_owned();
    Ok(Topic { name, type_name })
}

fn read_endpoint(reader: &mut Reader<'_>, default: EndpointQos) -> Result<Endpoint, WireError> {
    let topic = TopicReference::Object(ObjectId::read(reader)?);
    let qos = reader.optional(read_qos)?;
    Ok(Endpoint { topic, qos: qos.unwrap_or(default) })
}

/// Reads the part that writers and readers have in common. What follows it (the strength of ownership, filters by time
/// and content) has no meaning in ROS 2.
fn read_qos(reader: &mut Reader<'_>) -> Result<EndpointQos, WireError> {
    let flags = reader.u16()?;
    let depth = reader.optional(Reader::u16)?.filter(|depth| *depth > 0);
    let deadline_ms = reader.optional(Reader::u32)?;
    let lifespan_ms = reader.optional(Reader::u32)?;
    Ok(EndpointQos {
        is_reliable: flags & flag::RELIABLE != 0,
        is_transient_local: flags & (flag::TRANSIENT_LOCAL | flag::TRANSIENT | flag::PERSISTENT) != 0,
        depth: (flags & flag::KEEP_LAST != 0).then(|| depth.unwrap_or(EndpointQos::DEFAULT_DEPTH)),
        deadline_ms,
        lifespan_ms,
    })
}

fn read_service(reader: &mut Reader<'_>) -> Result<Service, WireError> {
    let name = reader.string()?.to_owned();
    let request_type = reader.string()?.to_owned();
    let reply_type = reader.string()?.to_owned();
    let request_topic = reader.optional(Reader::string)?.map(str::to_owned);
    let reply_topic = reader.optional(Reader::string)?.map(str::to_owned);
    Ok(Service { name, request_type, reply_type, request_topic, reply_topic })
}

pub(super) fn write(definition: &Definition, writer: &mut Writer<'_>) {
    match definition {
        Definition::Participant { name } => {
            writer.bool(false);
            writer.optional(name.as_deref(), Writer::string);
        }
        Definition::Topic(topic) => {
            writer.string(&topic.name);
            writer.bool(false);
            writer.optional(Some(topic.type_name.as_str()), Writer::string);
        }
        // No name and no quality of service.
        Definition::Publisher | Definition::Subscriber => writer.bytes(&[0, 0]),
        Definition::DataWriter(endpoint) => {
            write_endpoint(endpoint, writer);
            // The strength of ownership.
            writer.bool(false);
        }
        Definition::DataReader(endpoint) => {
            write_endpoint(endpoint, writer);
            // Filters by time and by content.
            writer.bytes(&[0, 0]);
        }
        Definition::Requester(service) | Definition::Replier(service) => {
            writer.string(&service.name);
            writer.string(&service.request_type);
            writer.string(&service.reply_type);
            writer.optional(service.request_topic.as_deref(), Writer::string);
            writer.optional(service.reply_topic.as_deref(), Writer::string);
        }
        // A profile has no binary form.
        Definition::Profile { .. } => {}
    }
}

fn write_endpoint(endpoint: &Endpoint, writer: &mut Writer<'_>) {
    let id = match &endpoint.topic {
        TopicReference::Object(id) => *id,
        TopicReference::Named(_) => ObjectId::INVALID,
    };
    writer.bytes(&id.to_bytes());
    writer.bool(true);
    let qos = &endpoint.qos;
    let flag = |is_set: bool, flag: u16| if is_set { flag } else { 0 };
    writer.u16(
        flag(qos.is_reliable, flag::RELIABLE)
            | flag(qos.depth.is_some(), flag::KEEP_LAST)
            | flag(qos.is_transient_local, flag::TRANSIENT_LOCAL),
    );
    writer.optional(qos.depth, Writer::u16);
    writer.optional(qos.deadline_ms, Writer::u32);
    writer.optional(qos.lifespan_ms, Writer::u32);
    // The user's data.
    writer.bool(false);
}
