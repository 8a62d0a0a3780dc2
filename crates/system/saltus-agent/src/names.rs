//! The names that topics, services and types have in DDS, and in the graph.
//!
//! Source: "Topic and Service name mapping to DDS" in the ROS 2 design documents.

use saltus_types::{NameError, NodeName, TopicName};
use saltus_xrce::{ClientKey, Service};

/// The prefix of a topic, of the topic of requests, and of the topic of responses.
pub(crate) const TOPIC: &str = "rt/";
const REQUESTS: &str = "rq/";
/// The suffix of the topic of requests.
const REQUEST_SUFFIX: &str = "Request";
/// The suffixes of the types of requests and responses.
const TYPE_SUFFIXES: [&str; 2] = ["_Request", "_Response"];
/// The name of the namespace that types of ROS 2 have in DDS.
const TYPE_NAMESPACE: &str = "dds_";

/// Returns a fully qualified name: the name of a topic without its prefix, with `/` at its beginning. A topic without
/// the prefix is not one of ROS 2, and keeps its name.
pub(crate) fn topic(dds: &str) -> Result<TopicName, NameError> {
    absolute(dds.strip_prefix(TOPIC).unwrap_or(dds))
}

/// Returns the name of a service.
pub(crate) fn service(service: &Service) -> Result<TopicName, NameError> {
    absolute(requested_service(service))
}

/// Returns the name of a service as the client has given it, without the prefix and the suffix of the topic of requests.
pub(crate) fn requested_service(service: &Service) -> &str {
    let from_topic = service
        .request_topic
        .as_deref()
        .and_then(|topic| topic.strip_prefix(REQUESTS).and_then(|name| name.strip_suffix(REQUEST_SUFFIX)));
    from_topic.unwrap_or(&service.name)
}

/// Returns a name with `/` at its beginning. A character that ROS 2 does not allow becomes `_`.
fn absolute(name: &str) -> Result<TopicName, NameError> {
    let name = format!("/{}", allowed(name.trim_start_matches('/')));
    // The node is irrelevant for an absolute name.
    TopicName::expand(&name, &NodeName::new("/", "agent")?)
}

/// Returns the name of a type: `std_msgs/msg/String` for `std_msgs::msg::dds_::String_`. A type that is not one of ROS 2
/// keeps its name.
pub(crate) fn type_name(dds: &str) -> String {
    let parts: Vec<&str> = dds.split("::").collect();
    match parts.as_slice() {
        [package, kind, namespace, name] if *namespace == TYPE_NAMESPACE => {
            format!("{package}/{kind}/{}", name.strip_suffix('_').unwrap_or(name))
        }
        _ => dds.to_owned(),
    }
}

/// Returns the name of a service's type, from the type of its requests.
pub(crate) fn service_type(service: &Service) -> String {
    let of_request = type_name(&service.request_type);
    let without = TYPE_SUFFIXES.iter().find_map(|suffix| of_request.strip_suffix(suffix));
    without.map_or(of_request.clone(), str::to_owned)
}

/// Returns the name of a node. A client gives a namespace and a name in one text; a name alone is in the root. A
/// character that ROS 2 does not allow becomes `_`.
pub(crate) fn node(text: Option<&str>, client: ClientKey) -> Result<NodeName, NameError> {
    let default = format!("xrce_client_{:08x}", u32::from_be_bytes(client.0));
    let text = allowed(text.filter(|text| !text.is_empty()).unwrap_or(&default));
    match text.rsplit_once('/') {
        Some((namespace, name)) => NodeName::new(namespace, name),
        None => NodeName::new("/", &text),
    }
}

/// Returns a name with `_` for each character that ROS 2 does not allow, and before a digit that begins a part.
fn allowed(name: &str) -> String {
    let part = |part: &str| {
        let begins_with_digit = part.starts_with(|c: char| c.is_ascii_digit());
        let letters = part.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
        begins_with_digit.then_some('_').into_iter().chain(letters).collect::<String>()
    };
    name.split('/').map(part).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ros_2_lose_their_prefixes_and_others_stay() {
        assert_eq!(topic("rt/chatter").unwrap().as_str(), "/chatter");
        assert_eq!(topic("rt/robot/scan").unwrap().as_str(), "/robot/scan");
        assert_eq!(topic("HelloWorldTopic").unwrap().as_str(), "/HelloWorldTopic");
        assert_eq!(topic("Hello_my-host.local").unwrap().as_str(), "/Hello_my_host_local");
        assert_eq!(topic("rt/front cam/2d").unwrap().as_str(), "/front_cam/_2d");
        assert!(topic("").is_err());
        assert!(topic("rt/a//b").is_err());
    }

    #[test]
    fn types_of_ros_2_have_slashes_and_others_stay() {
        assert_eq!(type_name("std_msgs::msg::dds_::String_"), "std_msgs/msg/String");
        assert_eq!(type_name("HelloWorld"), "HelloWorld");
    }

    #[test]
    fn a_service_is_named_after_the_topic_of_its_requests() {
        let mut add = Service {
            name: "/add_two_ints".into(),
            request_type: "example_interfaces::srv::dds_::AddTwoInts_Request_".into(),
            reply_type: "example_interfaces::srv::dds_::AddTwoInts_Response_".into(),
            request_topic: Some("rq/add_two_intsRequest".into()),
            reply_topic: Some("rr/add_two_intsReply".into()),
        };
        assert_eq!(service(&add).unwrap().as_str(), "/add_two_ints");
        assert_eq!(service_type(&add), "example_interfaces/srv/AddTwoInts");
        add.request_topic = None;
        assert_eq!(service(&add).unwrap().as_str(), "/add_two_ints");
        add.request_topic = Some("rq/fib/_action/send_goalRequest".into());
        add.request_type = "example_interfaces::action::dds_::Fibonacci_SendGoal_Request_".into();
        assert_eq!(service(&add).unwrap().as_str(), "/fib/_action/send_goal");
        assert_eq!(service_type(&add), "example_interfaces/action/Fibonacci_SendGoal");
    }

    #[test]
    fn a_node_has_a_namespace_and_a_name() {
        let key = ClientKey([0, 0, 0, 0x2A]);
        assert_eq!(node(Some("mcu"), key).unwrap().fully_qualified(), "/mcu");
        assert_eq!(node(Some("/robot/mcu"), key).unwrap().fully_qualified(), "/robot/mcu");
        assert_eq!(node(None, key).unwrap().fully_qualified(), "/xrce_client_0000002a");
        assert_eq!(node(Some("no-name"), key).unwrap().fully_qualified(), "/no_name");
        assert_eq!(node(Some("1.node"), key).unwrap().fully_qualified(), "/_1_node");
    }
}
