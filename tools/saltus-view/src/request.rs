//! The head of a request in HTTP.

/// The head of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) path: String,
    /// The value of `token` in the query.
    pub(crate) token: Option<String>,
    pub(crate) host: Option<String>,
    pub(crate) origin: Option<String>,
    /// The key of a WebSocket, if one is asked for.
    pub(crate) key: Option<String>,
}

/// How many headers a request may have.
const MOST_HEADERS: usize = 64;

/// What was read so far.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// The head is complete, and had this length.
    Complete(Request, usize),
    /// More bytes are needed.
    Partial,
    /// It is not a request that this server answers.
    Wrong,
}

/// Reads the head of a request.
pub(crate) fn read(bytes: &[u8]) -> Head {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let length = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Head::Partial,
        Err(_) => return Head::Wrong,
    };
    let (Some("GET"), Some(target)) = (parsed.method, parsed.path) else { return Head::Wrong };
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
    Head::Complete(request, length)
}
