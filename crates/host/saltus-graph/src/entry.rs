//! The entries with which a process announces itself, as bytes that other processes read.

use std::time::Duration;

use saltus_cdr::{Cdr, CdrError, Reader, Writer};
use saltus_types::{Durability, Gid, History, Liveliness, QoS, Reliability, TypeHash};

use crate::{
    entity::{
        ConnectionInfo, DeviceInfo, EndpointId, EndpointInfo, EndpointKind, NodeInfo, OfferInfo,
        OfferedService, Origin, TypeInfo,
    },
    times::nanos,
};

/// Something that a process announces about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// It has a node.
    Node(NodeInfo),
    /// It has a publisher or subscription.
    Endpoint(EndpointInfo),
    /// One of its publishers sends to a subscription.
    Connection(ConnectionInfo),
    /// One of its nodes offers services.
    Offer(OfferInfo),
    /// It uses a type.
    Type(TypeInfo),
    /// It acts for a device.
    Device(DeviceInfo),
}

/// Writes one field after the other as CDR, so that they are read with the same checks as all untrusted bytes.
macro_rules! write_fields {
    ($writer:expr, $($field:expr),+) => { $( $field.write($writer)?; )+ };
}

impl Entry {
    const NODE: u8 = 1;
    const PUBLISHER: u8 = 2;
    const SUBSCRIPTION: u8 = 3;
    const CONNECTION: u8 = 4;
    const TYPE: u8 = 5;
    const OFFER: u8 = 6;
    const DEVICE: u8 = 7;
    /// An upper bound for the size of an entry without the bytes of [`Entry::text_len`].
    const FIXED: usize = 256;

    /// The number of bytes at the start of an entry that show whether it is a type, and which type.
    pub const PREFIX: usize = 33;

    /// Returns the hash of a type, if the bytes are the start of its entry. The type's description follows them.
    pub fn type_hash(bytes: &[u8]) -> Option<TypeHash> {
        let (kind, rest) = bytes.split_first()?;
        let digest = rest.first_chunk::<32>().filter(|_| *kind == Self::TYPE)?;
        Some(TypeHash::from_digest(*digest))
    }

    /// Returns the publisher or subscription, if the entry is one.
    pub fn endpoint(&self) -> Option<&EndpointInfo> {
        match self {
            Self::Endpoint(endpoint) => Some(endpoint),
            Self::Node(_) | Self::Connection(_) | Self::Offer(_) | Self::Type(_) | Self::Device(_) => None,
        }
    }

    /// Returns the number of bytes in its names, descriptions and lists.
    fn text_len(&self) -> usize {
        match self {
            Self::Node(node) => node.namespace.len() + node.name.len() + node.origin.name().len(),
            Self::Endpoint(e) => e.topic.len() + e.type_name.len() + e.origin.name().len(),
            Self::Connection(connection) => connection.queue.len(),
            // Besides its names, each service has a hash, and each name has a length.
            Self::Offer(offer) => {
                let services = offer.services.iter();
                let sizes = services.map(|one| one.name.len() + one.type_name.len() + 64);
                offer.origin.name().len() + sizes.sum::<usize>()
            }
            Self::Type(ty) => ty.description.len(),
            Self::Device(device) => device.name.len() + device.link.len(),
        }
    }

    /// Returns the bytes that other processes read.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; Self::FIXED + self.text_len()];
        let mut writer = Writer::new(&mut bytes);
        // This fails only for strings of more than 4 GiB, and names are checked before an entry is made.
        let _ = self.write(&mut writer);
        let used = writer.position();
        bytes.truncate(used);
        bytes
    }

    fn write(&self, w: &mut Writer<'_>) -> Result<(), CdrError> {
        match self {
            Self::Node(node) => {
                write_fields!(w, Self::NODE, node.gid.as_bytes(), node.namespace, node.name);
                write_origin(w, &node.origin)?;
            }
            Self::Endpoint(e) => {
                let kind = match e.kind {
                    EndpointKind::Publisher => Self::PUBLISHER,
                    EndpointKind::Subscription => Self::SUBSCRIPTION,
                };
                write_fields!(w, kind, e.gid.as_bytes(), e.node.as_bytes(), e.topic, e.type_name);
                write_fields!(w, e.type_hash.digest(), e.id.serial, e.port, e.counters);
                let only_from = e.only_from.map_or([0; 2], |from| [from.process, from.serial]);
                write_origin(w, &e.origin)?;
                write_fields!(w, only_from);
                write_qos(w, &e.qos)?;
            }
            Self::Connection(c) => {
                write_fields!(w, Self::CONNECTION, c.publisher.serial, c.subscription.process);
                write_fields!(w, c.subscription.serial, c.queue);
            }
            Self::Offer(offer) => {
                let column = |of: fn(&OfferedService) -> &String| -> Vec<String> {
                    offer.services.iter().map(|one| of(one).clone()).collect()
                };
                let hashes: Vec<u8> = offer.services.iter().flat_map(|one| *one.type_hash.digest()).collect();
                write_fields!(w, Self::OFFER, offer.node.as_bytes(), column(|one| &one.name));
                write_fields!(w, column(|one| &one.type_name), hashes);
                write_origin(w, &offer.origin)?;
                write_qos(w, &offer.qos)?;
            }
            Self::Type(ty) => {
                write_fields!(w, Self::TYPE, ty.hash.digest(), ty.description);
            }
            Self::Device(device) => {
                write_fields!(w, Self::DEVICE, device.serial, device.name, device.link, device.counters);
            }
        }
        Ok(())
    }

    /// Reads an entry that another process wrote. Its bytes are untrusted.
    ///
    /// # Errors
    /// Returns an error if the bytes are not an entry.
    pub fn from_bytes(process: u64, bytes: &[u8]) -> Result<Self, CdrError> {
        let mut with_header = saltus_cdr::ENCAPSULATION.to_vec();
        with_header.extend_from_slice(bytes);
        let r = &mut Reader::new(&with_header)?;
        let kind = u8::read(r)?;
        Ok(match kind {
            Self::NODE => Self::Node(NodeInfo {
                gid: gid(r)?,
                namespace: Cdr::read(r)?,
                name: Cdr::read(r)?,
                origin: read_origin(r)?,
            }),
            Self::PUBLISHER => Self::Endpoint(read_endpoint(r, EndpointKind::Publisher, process)?),
            Self::SUBSCRIPTION => Self::Endpoint(read_endpoint(r, EndpointKind::Subscription, process)?),
            Self::TYPE => Self::Type(TypeInfo {
                hash: TypeHash::from_digest(Cdr::read(r)?),
                description: Cdr::read(r)?,
            }),
            Self::CONNECTION => Self::Connection(ConnectionInfo {
                publisher: EndpointId { process, serial: Cdr::read(r)? },
                subscription: EndpointId { process: Cdr::read(r)?, serial: Cdr::read(r)? },
                queue: Cdr::read(r)?,
            }),
            Self::OFFER => Self::Offer(read_offer(r)?),
            Self::DEVICE => Self::Device(DeviceInfo {
                serial: Cdr::read(r)?,
                name: Cdr::read(r)?,
                link: Cdr::read(r)?,
                counters: Cdr::read(r)?,
            }),
            found => return Err(CdrError::Bound { bound: Self::DEVICE.into(), found: found.into() }),
        })
    }
}

fn read_offer(r: &mut Reader<'_>) -> Result<OfferInfo, CdrError> {
    let node = gid(r)?;
    let (names, types): (Vec<String>, Vec<String>) = (Cdr::read(r)?, Cdr::read(r)?);
    let hashes: Vec<u8> = Cdr::read(r)?;
    let hashes = hashes.as_chunks::<32>().0;
    let columns = names.into_iter().zip(types).zip(hashes);
    let services = columns.map(|((name, type_name), hash)| OfferedService {
        name,
        type_name,
        type_hash: TypeHash::from_digest(*hash),
    });
    let services = services.collect();
    let origin = read_origin(r)?;
    Ok(OfferInfo { node, origin, services, qos: read_qos(r)? })
}

fn read_endpoint(r: &mut Reader<'_>, kind: EndpointKind, process: u64) -> Result<EndpointInfo, CdrError> {
    let (gid, node) = (gid(r)?, gid(r)?);
    let (topic, type_name) = (Cdr::read(r)?, Cdr::read(r)?);
    let type_hash = TypeHash::from_digest(Cdr::read(r)?);
    let id = EndpointId { process, serial: Cdr::read(r)? };
    let (port, counters) = (Cdr::read(r)?, Cdr::read(r)?);
    let origin = read_origin(r)?;
    let [process, serial]: [u64; 2] = Cdr::read(r)?;
    let only_from = (serial > 0).then_some(EndpointId { process, serial });
    let qos = read_qos(r)?;
    Ok(EndpointInfo {
        kind,
        id,
        gid,
        node,
        origin,
        topic,
        type_name,
        type_hash,
        qos,
        only_from,
        port,
        counters,
    })
}

/// Writes the name of an origin, and whether it is a device.
fn write_origin(w: &mut Writer<'_>, origin: &Origin) -> Result<(), CdrError> {
    write_fields!(w, matches!(origin, Origin::Device(_)), origin.name().to_owned());
    Ok(())
}

fn read_origin(r: &mut Reader<'_>) -> Result<Origin, CdrError> {
    let (is_device, name): (bool, String) = (Cdr::read(r)?, Cdr::read(r)?);
    Ok(if is_device { Origin::Device(name) } else { Origin::named(name) })
}

fn gid(reader: &mut Reader<'_>) -> Result<Gid, CdrError> {
    Ok(Gid::from_bytes(Cdr::read(reader)?))
}

fn write_qos(w: &mut Writer<'_>, qos: &QoS) -> Result<(), CdrError> {
    let reliable = qos.reliability == Reliability::Reliable;
    let durable = qos.durability == Durability::TransientLocal;
    let manual = qos.liveliness == Liveliness::ManualByTopic;
    write_fields!(w, reliable, durable, manual, qos.history == History::KeepAll, qos.history.depth());
    write_fields!(w, nanos(qos.deadline), nanos(qos.lifespan), nanos(qos.lease));
    Ok(())
}

fn read_qos(r: &mut Reader<'_>) -> Result<QoS, CdrError> {
    let [reliable, durable, manual, keep_all] = [Cdr::read(r)?, Cdr::read(r)?, Cdr::read(r)?, Cdr::read(r)?];
    let depth: u16 = Cdr::read(r)?;
    Ok(QoS {
        reliability: if reliable { Reliability::Reliable } else { Reliability::BestEffort },
        durability: if durable { Durability::TransientLocal } else { Durability::Volatile },
        history: if keep_all { History::KeepAll } else { History::KeepLast(depth.max(1)) },
        deadline: period(Cdr::read(r)?),
        lifespan: period(Cdr::read(r)?),
        liveliness: if manual { Liveliness::ManualByTopic } else { Liveliness::Automatic },
        lease: period(Cdr::read(r)?),
    })
}

fn period(nanos: u64) -> Option<Duration> {
    (nanos > 0).then(|| Duration::from_nanos(nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROCESS: u64 = 9;

    fn endpoint(topic: &str) -> Entry {
        Entry::Endpoint(EndpointInfo {
            kind: EndpointKind::Subscription,
            id: EndpointId { process: PROCESS, serial: 4 },
            gid: Gid::from_parts(1, 2),
            node: Gid::from_parts(1, 1),
            origin: Origin::Foreign("elsewhere".into()),
            topic: topic.into(),
            type_name: "std_msgs/msg/String".into(),
            type_hash: TypeHash::from_digest([7; 32]),
            qos: QoS::keep_last(3)
                .best_effort()
                .deadline(Duration::from_millis(5))
                .liveliness(Liveliness::ManualByTopic, Duration::from_secs(1)),
            only_from: Some(EndpointId { process: 3, serial: 8 }),
            port: 99,
            counters: 128,
        })
    }

    #[test]
    fn every_entry_is_read_as_it_was_written() {
        let entries = [
            endpoint("/topic"),
            Entry::Node(NodeInfo {
                gid: Gid::from_parts(1, 3),
                namespace: "/".into(),
                name: "node".into(),
                origin: Origin::Local,
            }),
            Entry::Node(NodeInfo {
                gid: Gid::from_parts(1, 4),
                namespace: "/".into(),
                name: "mcu".into(),
                origin: Origin::Device("0x0000002A".into()),
            }),
            Entry::Device(DeviceInfo {
                serial: 5,
                name: "0x0000002A".into(),
                link: "udp 10.0.0.7:2018".into(),
                counters: 640,
            }),
            Entry::Connection(ConnectionInfo {
                publisher: EndpointId { process: PROCESS, serial: 1 },
                subscription: EndpointId { process: 2, serial: 3 },
                queue: vec![1, 2, 3],
            }),
            Entry::Offer(OfferInfo {
                node: Gid::from_parts(1, 3),
                origin: Origin::Foreign("elsewhere".into()),
                qos: QoS::parameters(),
                services: ["a", "b"]
                    .map(|name| OfferedService {
                        name: name.into(),
                        type_name: "test/srv/Type".into(),
                        type_hash: TypeHash::from_digest([7; 32]),
                    })
                    .into(),
            }),
            Entry::Type(TypeInfo { hash: TypeHash::UNKNOWN, description: "{}".into() }),
        ];
        for entry in entries {
            assert_eq!(Entry::from_bytes(PROCESS, &entry.to_bytes()).unwrap(), entry);
        }
    }

    #[test]
    fn a_name_of_any_length_is_read_as_it_was_written() {
        let long = endpoint(&"/a".repeat(5000));
        assert_eq!(Entry::from_bytes(PROCESS, &long.to_bytes()).unwrap(), long);
    }

    #[test]
    fn untrusted_bytes_are_an_error_or_an_entry_but_never_a_panic() {
        let bytes = endpoint("/topic").to_bytes();
        for length in 0..bytes.len() {
            assert!(Entry::from_bytes(PROCESS, &bytes[..length]).is_err());
        }
        for i in 0..bytes.len() {
            for bit in 0..8 {
                let mut broken = bytes.clone();
                broken[i] ^= 1 << bit;
                let _ = Entry::from_bytes(PROCESS, &broken);
            }
        }
    }
}
