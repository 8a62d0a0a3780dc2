//! What an endpoint carries.

/// What an endpoint carries. Requests and responses are queued as the messages of a topic are; their
/// topics have names that no user can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Messages of a topic.
    Topic,
    /// Requests, from clients to servers.
    Request,
    /// Responses, from servers to clients.
    Response,
}

impl Channel {
    const REQUEST: &'static str = "rq";
    const RESPONSE: &'static str = "rr";

    /// The topic under which its endpoints find each other. The prefixes are those of ROS 2 over DDS.
    pub fn key(self, name: &str) -> String {
        match self {
            Self::Topic => name.to_owned(),
            Self::Request => format!("{}{name}", Self::REQUEST),
            Self::Response => format!("{}{name}", Self::RESPONSE),
        }
    }

    /// The channel and the name of a key.
    pub fn split(key: &str) -> (Self, &str) {
        let prefixed = |prefix, channel| key.strip_prefix(prefix).map(|name| (channel, name));
        prefixed(Self::REQUEST, Self::Request)
            .or_else(|| prefixed(Self::RESPONSE, Self::Response))
            .unwrap_or((Self::Topic, key))
    }
}
