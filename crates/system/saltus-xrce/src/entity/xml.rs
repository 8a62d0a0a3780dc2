//! The XML form of objects: the part of Fast DDS's profiles that clients send.

use roxmltree::{Document, Node, ParsingOptions};

use super::model::{Definition, Endpoint, EndpointQos, Service, Topic, TopicReference, unsupported};
use crate::{WireError, ids::ObjectKind};

/// Reads a description that a client has sent. It is empty for publishers and subscribers.
pub(super) fn read(kind: ObjectKind, text: &str) -> Result<Definition, WireError> {
    match kind {
        ObjectKind::Publisher => return Ok(Definition::Publisher),
        ObjectKind::Subscriber => return Ok(Definition::Subscriber),
        _ => {}
    }
    let repaired = saltus_xml::repaired(text);
    let document = parse(&repaired).map_err(|_| WireError::Xml("it can't be parsed"))?;
    let name = element_name(kind).ok_or(unsupported(kind))?;
    let element = document.descendants().find(|node| node.has_tag_name(name));
    definition(kind, element.ok_or(WireError::Xml("the element of the object is missing"))?)
}

/// Parses a document. The limit for the number of nodes bounds the memory that a hostile document can take.
pub(super) fn parse(text: &str) -> Result<Document<'_>, roxmltree::Error> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: 10_000, ..ParsingOptions::default() };
    Document::parse_with_options(text, options)
}

/// Returns the name of the element that describes an object of this kind.
pub(super) fn element_name(kind: ObjectKind) -> Option<&'static str> {
    Some(match kind {
        ObjectKind::Participant => "participant",
        ObjectKind::Topic => "topic",
        ObjectKind::DataWriter => "data_writer",
        ObjectKind::DataReader => "data_reader",
        ObjectKind::Requester => "requester",
        ObjectKind::Replier => "replier",
        _ => return None,
    })
}

/// Reads the element that describes an object.
pub(super) fn definition(kind: ObjectKind, element: Node<'_, '_>) -> Result<Definition, WireError> {
    Ok(match kind {
        ObjectKind::Participant => {
            let name = child(element, "rtps").and_then(|rtps| text_of(rtps, "name"));
            Definition::Participant { name: name.map(str::to_owned) }
        }
        ObjectKind::Topic => Definition::Topic(topic(element)?),
        ObjectKind::DataWriter => Definition::DataWriter(endpoint(element, EndpointQos::WRITER)?),
        ObjectKind::DataReader => Definition::DataReader(endpoint(element, EndpointQos::READER)?),
        ObjectKind::Requester => Definition::Requester(service(element)?),
        ObjectKind::Replier => Definition::Replier(service(element)?),
        _ => return Err(unsupported(kind)),
    })
}

fn topic(element: Node<'_, '_>) -> Result<Topic, WireError> {
    let name = text_of(element, "name").ok_or(WireError::Xml("a topic has no name"))?;
    let type_name = text_of(element, "dataType").unwrap_or_default();
    Ok(Topic { name: name.to_owned(), type_name: type_name.to_owned() })
}

fn endpoint(element: Node<'_, '_>, default: EndpointQos) -> Result<Endpoint, WireError> {
    let of_topic =
        child(element, "topic").ok_or(WireError::Xml("a data writer or data reader has no topic"))?;
    let mut qos = default;
    let kind_of = |policy: &str| {
        child(element, "qos").and_then(|qos| child(qos, policy)).and_then(|policy| text_of(policy, "kind"))
    };
    if let Some(kind) = kind_of("reliability") {
        qos.is_reliable = kind.starts_with("RELIABLE");
    }
    if let Some(kind) = kind_of("durability") {
        qos.is_transient_local = !kind.starts_with("VOLATILE");
    }
    if let Some(history) = child(of_topic, "historyQos") {
        let depth = text_of(history, "depth").and_then(|depth| depth.parse().ok());
        let keeps_all = text_of(history, "kind") == Some("KEEP_ALL");
        qos.depth = (!keeps_all).then(|| depth.unwrap_or(EndpointQos::DEFAULT_DEPTH));
    }
    Ok(Endpoint { topic: TopicReference::Named(topic(of_topic)?), qos })
}

fn service(element: Node<'_, '_>) -> Result<Service, WireError> {
    let attribute = |name: &str| element.attribute(name).map(str::to_owned);
    Ok(Service {
        name: attribute("service_name").ok_or(WireError::Xml("a service has no name"))?,
        request_type: attribute("request_type").unwrap_or_default(),
        reply_type: attribute("reply_type").unwrap_or_default(),
        request_topic: text_of(element, "request_topic_name").map(str::to_owned),
        reply_topic: text_of(element, "reply_topic_name").map(str::to_owned),
    })
}

fn child<'a, 'input>(element: Node<'a, 'input>, name: &str) -> Option<Node<'a, 'input>> {
    element.children().find(|node| node.has_tag_name(name))
}

/// Returns the text of a child without spaces around it. An empty text counts as absent.
fn text_of<'a>(element: Node<'a, '_>, name: &str) -> Option<&'a str> {
    child(element, name).and_then(|node| node.text()).map(str::trim).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_read_as_the_example_of_the_widespread_client_writes_it() {
        let text = concat!(
            r#"<dds><requester profile_name="my_requester"service_name="name"request_type="a b"reply_type="reply">"#,
            "</requester></dds>"
        );
        let expected = Service {
            name: "name".into(),
            request_type: "a b".into(),
            reply_type: "reply".into(),
            ..Service::default()
        };
        assert_eq!(read(ObjectKind::Requester, text), Ok(Definition::Requester(expected)));
    }

    #[test]
    fn a_writer_has_the_quality_of_service_that_the_text_gives() {
        let text = "<dds><data_writer><qos><reliability><kind>BEST_EFFORT</kind></reliability></qos><topic>
            <name> rt/a </name><dataType>t</dataType><historyQos><kind>KEEP_LAST</kind><depth>3</depth></historyQos>
            </topic></data_writer></dds>";
        let Ok(Definition::DataWriter(writer)) = read(ObjectKind::DataWriter, text) else {
            panic!("not a writer")
        };
        let topic = Topic { name: "rt/a".into(), type_name: "t".into() };
        assert_eq!(writer.topic, TopicReference::Named(topic));
        assert_eq!(writer.qos, EndpointQos { is_reliable: false, depth: Some(3), ..EndpointQos::WRITER });
    }

    #[test]
    fn a_text_without_the_object_is_an_error() {
        for text in [
            "",
            "<dds>",
            "<dds></dds>",
            "<dds><topic></topic></dds>",
            "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
        ] {
            assert!(matches!(read(ObjectKind::Topic, text), Err(WireError::Xml(_))), "{text}");
        }
    }
}
