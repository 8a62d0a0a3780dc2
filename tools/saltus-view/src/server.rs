//! The server: accepts connections and answers requests.

use std::{
    io::{self, Read, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, UdpSocket},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use saltus::{Node, Timer, node::NodeError, types::lock};
use tungstenite::{Message, handshake::derive_accept_key};

use crate::{
    access::{Access, Refusal},
    control::Control,
    mailbox::{Mailbox, MailboxSlot},
    page,
    request::{self, HeadStatus, Request},
    state::{ConnectionCounter, ConnectionGuard, ServerState},
    topics::Topics,
    trees::Trees,
};

/// The page, in one file.
const PAGE: &str = include_str!("page.html");
/// The maximum number of pages that are open at the same time.
const MAX_PAGES: usize = 32;
/// The maximum number of connections whose request is not checked yet.
const MAX_UNCHECKED: usize = 64;
/// The maximum length of the head of a request, in bytes.
const MAX_HEAD_LENGTH: usize = 8 << 10;
/// The maximum time for receiving the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);
/// The period at which transforms are sent to pages.
const FRAMES_PERIOD: Duration = Duration::from_millis(50);
/// The period at which the list of topics is sent to pages.
const TOPICS_PERIOD: Duration = Duration::from_millis(500);

/// The port of a server whose user has chosen none.
pub const DEFAULT_PORT: u16 = 8765;

/// The options of a [`Server`].
#[derive(Clone, Debug)]
pub struct Options {
    /// The address on which the server listens. If other machines can reach it, the URL of the page contains a token.
    pub address: IpAddr,
    /// The port; 0 is any free one. Without a port, it is [`DEFAULT_PORT`], or any free one if that is in use.
    pub port: Option<u16>,
    /// Whether pages may send goals, initial poses and velocities. Then the URL of the page contains a token, too, because
    /// other users of this machine can connect.
    pub with_control: bool,
}

/// An error when a server starts.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The server can't listen on its address.
    #[error("can't listen on {address}: {error}; --port selects another port")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        error: io::Error,
    },
    /// A timer of the server can't be created.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// The thread of the server can't be started.
    #[error("can't start the thread of the server: {0}")]
    Thread(io::Error),
}

/// Opens the port of a server. Also returns its address.
fn listen(options: &Options) -> Result<(TcpListener, SocketAddr), ViewError> {
    let wanted = SocketAddr::new(options.address, options.port.unwrap_or(DEFAULT_PORT));
    let failed = |error| ViewError::Listen { address: wanted, error };
    let listener = match TcpListener::bind(wanted) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse && options.port.is_none() => {
            TcpListener::bind((options.address, 0))
        }
        listener => listener,
    };
    let listener = listener.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}

/// A server for pages. It runs until it is dropped. An executor must spin its node.
#[derive(Debug)]
pub struct Server {
    state: Arc<ServerState>,
    url: String,
    listener: Arc<TcpListener>,
    _timers: [Timer; 2],
    accept_thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server.
    ///
    /// # Errors
    ///
    /// Returns an error if the address can't be used, or if a timer or a thread can't be created.
    pub fn start(node: &Node, options: &Options) -> Result<Self, ViewError> {
        let (listener, address) = listen(options)?;
        let listener = Arc::new(listener);
        let needs_token = options.with_control || !address.ip().is_loopback();
        let token = needs_token.then(|| uuid::Uuid::new_v4().simple().to_string());
        let query = token.as_ref().map_or(String::new(), |token| format!("?token={token}"));
        let control =
            options.with_control.then(|| Control::new(node)).transpose().map_err(ViewError::Thread)?;
        let state = Arc::new(ServerState {
            node: node.clone(),
            access: Access { address, token },
            topics: Topics::default(),
            trees: Trees::default(),
            control,
            pages: Mutex::default(),
            unchecked: ConnectionCounter::default(),
            admitted: ConnectionCounter::default(),
            is_ended: AtomicBool::new(false),
        });
        let timers = [
            node.wall_timer(FRAMES_PERIOD)
                .callback(ServerState::timer_callback(&state, ServerState::send_frames))?,
            node.wall_timer(TOPICS_PERIOD)
                .callback(ServerState::timer_callback(&state, ServerState::send_topics))?,
        ];
        let accept = {
            let (state, listener) = (state.clone(), listener.clone());
            move || accept(&listener, &state)
        };
        let accept_thread =
            thread::Builder::new().name("view".into()).spawn(accept).map_err(ViewError::Thread)?;
        let url = format!("http://{}/{query}", reachable(address));
        Ok(Self { state, url, listener, _timers: timers, accept_thread: Some(accept_thread) })
    }

    /// Returns the URL of the page, with the token if one is needed.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the number of messages that were not sent, because a newer one of the same topic came before a page read them.
    pub fn replaced(&self) -> u64 {
        self.state.mailboxes().iter().map(|mailbox| mailbox.replaced()).sum()
    }
}

/// Returns the address at which other machines reach a server that listens on `address`. If that is the unspecified address,
/// this is the address of this machine in the network. No packet is sent to find it out.
fn reachable(address: SocketAddr) -> SocketAddr {
    if !address.ip().is_unspecified() {
        return address;
    }
    // Addresses for documentation, from RFC 5737 and RFC 3849. The system only selects its own address for them.
    let [local, remote] =
        if address.is_ipv4() { ["0.0.0.0:0", "192.0.2.1:9"] } else { ["[::]:0", "[2001:db8::1]:9"] };
    let own = UdpSocket::bind(local).and_then(|socket| {
        socket.connect(remote)?;
        socket.local_addr()
    });
    let loopback = if address.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() };
    SocketAddr::new(own.map_or(loopback, |own| own.ip()), address.port())
}

impl Drop for Server {
    fn drop(&mut self) {
        self.state.is_ended.store(true, Ordering::Release);
        self.state
            .mailboxes()
            .iter()
            .for_each(|mailbox| mailbox.put(MailboxSlot::Hello, Message::text("{}")));
        // This wakes the thread that accepts connections.
        let _ = rustix::net::shutdown(&*self.listener, rustix::net::Shutdown::Both);
        if let Some(thread) = self.accept_thread.take() {
            let _ = thread.join();
        }
        // The threads of the pages end by themselves.
        self.state.admitted.wait_for_none(Duration::from_secs(1));
        // A thread of a page may still keep `state`, so dropping it is not enough.
        if let Some(control) = &self.state.control {
            control.end();
        }
    }
}

/// Starts a thread for each connection, until the server ends.
fn accept(listener: &TcpListener, state: &Arc<ServerState>) {
    for stream in listener.incoming() {
        if state.is_ended() {
            return;
        }
        let Ok(stream) = stream else {
            // For example, there are no file descriptors left. After a pause, some may be closed.
            thread::sleep(Duration::from_millis(50));
            continue;
        };
        let own = state.clone();
        let serve = move || {
            // An error of a connection ends only that connection.
            let _ = connection(stream, &own);
        };
        // If the thread can't be started, the connection is closed.
        let _ = thread::Builder::new().name("view-page".into()).spawn(serve);
    }
}

/// Answers one request. A WebSocket is served until it is closed.
fn connection(mut stream: TcpStream, state: &ServerState) -> io::Result<()> {
    const FULL: &str = "503 Service Unavailable";
    stream.set_write_timeout(Some(HEAD_TIMEOUT))?;
    let Some(unchecked) = ConnectionGuard::new(&state.unchecked, MAX_UNCHECKED) else {
        return respond(&stream, FULL, "text/plain", "too many requests are in progress");
    };
    let Some((request, rest)) = head(&mut stream)? else {
        return respond(&stream, "400 Bad Request", "text/plain", "this is not a request for a page");
    };
    if let Err(refusal) = state.access.check(&request) {
        let status = if refusal == Refusal::Token { "401 Unauthorized" } else { "403 Forbidden" };
        return respond(&stream, status, "text/plain", refusal.text());
    }
    drop(unchecked);
    let Some(_admitted) = ConnectionGuard::new(&state.admitted, MAX_PAGES) else {
        return respond(&stream, FULL, "text/plain", "too many pages are open");
    };
    match (&*request.path, &request.key) {
        ("/", None) => respond(&stream, "200 OK", "text/html; charset=utf-8", PAGE),
        ("/socket", Some(key)) => {
            let accept = derive_accept_key(key.as_bytes());
            let answer = format!(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
            );
            stream.write_all(answer.as_bytes())?;
            let mailbox = Arc::new(Mailbox::new()?);
            lock(&state.pages).push(Arc::downgrade(&mailbox));
            page::serve(stream, rest, state, &mailbox)
        }
        _ => respond(&stream, "404 Not Found", "text/plain", "there is no such page"),
    }
}

/// Reads the head of a request. Returns it with the bytes after it, or `None` if the bytes are not a request.
fn head(stream: &mut TcpStream) -> io::Result<Option<(Request, Vec<u8>)>> {
    let deadline = Instant::now() + HEAD_TIMEOUT;
    let mut bytes = Vec::new();
    let mut part = [0; 1024];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || bytes.len() > MAX_HEAD_LENGTH {
            return Ok(None);
        }
        stream.set_read_timeout(Some(left))?;
        let count = stream.read(&mut part)?;
        if count == 0 {
            return Ok(None);
        }
        bytes.extend_from_slice(&part[..count]);
        match request::read(&bytes) {
            HeadStatus::Complete(request, length) => return Ok(Some((request, bytes.split_off(length)))),
            HeadStatus::Partial => {}
            HeadStatus::Invalid => return Ok(None),
        }
    }
}

/// Sends a response. The content security policy does not allow the page to load anything from other servers.
fn respond(mut stream: &TcpStream, status: &str, kind: &str, body: &str) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n\
         Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; \
         connect-src 'self'\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}
