//! The channel of an endpoint: the kind of its messages.

/// The channel of an endpoint: the kind of its messages. Requests and responses are queued like the messages of a topic. The names of
/// their topics are names that a user can't give.
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

    /// Returns the key of `name`: the topic on which the endpoints find each other. The prefixes are those of
    /// ROS 2 over DDS.
    pub fn key(self, name: &str) -> String {
        match self {
            Self::Topic => name.to_owned(),
            Self::Request => format!("{}{name}", Self::REQUEST),
            Self::Response => format!("{}{name}", Self::RESPONSE),
        }
    }

    /// Splits a key into the channel and the name.
    pub fn split(key: &str) -> (Self, &str) {
        let prefixed = |prefix, channel| key.strip_prefix(prefix).map(|name| (channel, name));
        prefixed(Self::REQUEST, Self::Request)
            .or_else(|| prefixed(Self::RESPONSE, Self::Response))
            .unwrap_or((Self::Topic, key))
    }
}
