//! The head of an HTTP request.

/// The parts of an HTTP request that the server uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) path: String,
    /// The value of `token` in the query of the URL.
    pub(crate) token: Option<String>,
    pub(crate) host: Option<String>,
    pub(crate) origin: Option<String>,
    /// The key of the WebSocket handshake, if the request is one.
    pub(crate) key: Option<String>,
}

/// The maximum number of headers of a request.
const MAX_HEADERS: usize = 64;

/// The result of reading the head of a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum HeadStatus {
    /// The head is complete. The number is its length in bytes.
    Complete(Request, usize),
    /// More bytes are needed.
    Partial,
    /// The bytes are not a request that this server answers.
    Invalid,
}

/// Reads the head of a request from its first bytes.
pub(crate) fn read(bytes: &[u8]) -> HeadStatus {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let length = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return HeadStatus::Partial,
        Err(_) => return HeadStatus::Invalid,
    };
    let (Some("GET"), Some(target)) = (parsed.method, parsed.path) else { return HeadStatus::Invalid };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let token = query.split('&').find_map(|pair| pair.strip_prefix("token="));
    let header = |name: &str| {
        let found = parsed.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(found.value).ok().map(str::to_owned)
    };
    let upgrades = header("Upgrade").is_some_and(|value| value.eq_ignore_ascii_case("websocket"));
    let is_current = header("Sec-WebSocket-Version").as_deref() == Some("13");
    let request = Request {
        path: path.into(),
        token: token.map(str::to_owned),
        host: header("Host"),
        origin: header("Origin"),
        key: header("Sec-WebSocket-Key").filter(|_| upgrades && is_current),
    };
    HeadStatus::Complete(request, length)
}
