//! Accepts connections.

use std::{
    io::{self, Read, Write},
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, UdpSocket},
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
    mailbox::{Mailbox, Place},
    page,
    request::{self, Head, Request},
    shared::{Count, Counted, Shared},
    topics::Topics,
    trees::Trees,
};

/// The page, in one file.
const PAGE: &str = include_str!("page.html");
/// How many pages may be open, and how many connections may be in the middle of a request.
const MOST_PAGES: usize = 32;
const MOST_STRANGERS: usize = 64;
/// How long the head of a request may be, and how long it may take.
const LONGEST_HEAD: usize = 8 << 10;
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);
/// How often transforms are sent, and how often topics are listed.
const FRAMES_EVERY: Duration = Duration::from_millis(50);
const TOPICS_EVERY: Duration = Duration::from_millis(500);

/// How robots are shown.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the server listens. If this is not only this machine, the address of the page has a token.
    pub address: SocketAddr,
    /// Whether pages may send goals, initial poses and velocities. Then the address of the page has a token, too, because other
    /// users of this machine can connect.
    pub with_control: bool,
}

/// Why robots can't be shown.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The server can't listen.
    #[error("can't listen on {address}: {error}; --port selects another port")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        error: io::Error,
    },
    /// A topic can't be opened.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// The thread of the server can't be started.
    #[error("can't start the thread of the server: {0}")]
    Thread(io::Error),
}

/// A server for pages, until it is dropped. An executor must spin its node.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    url: String,
    listener: Arc<TcpListener>,
    _timers: [Timer; 2],
    accepting: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server.
    ///
    /// # Errors
    ///
    /// Returns an error if the address can't be used, or if a timer can't be opened.
    pub fn start(node: &Node, options: &Options) -> Result<Self, ViewError> {
        let failed = |error| ViewError::Listen { address: options.address, error };
        let listener = Arc::new(TcpListener::bind(options.address).map_err(failed)?);
        let address = listener.local_addr().map_err(failed)?;
        let needs_token = options.with_control || !address.ip().is_loopback();
        let token = needs_token.then(|| uuid::Uuid::new_v4().simple().to_string());
        let query = token.as_ref().map_or(String::new(), |token| format!("?token={token}"));
        let control =
            options.with_control.then(|| Control::new(node)).transpose().map_err(ViewError::Thread)?;
        let shared = Arc::new(Shared {
            node: node.clone(),
            access: Access { address, token },
            topics: Topics::default(),
            trees: Trees::default(),
            control,
            pages: Mutex::default(),
            strangers: Count::default(),
            known: Count::default(),
            is_over: AtomicBool::new(false),
        });
        let timers = [
            node.wall_timer(FRAMES_EVERY).callback(Shared::regularly(&shared, Shared::send_frames))?,
            node.wall_timer(TOPICS_EVERY).callback(Shared::regularly(&shared, Shared::send_topics))?,
        ];
        let accept = {
            let (shared, listener) = (shared.clone(), listener.clone());
            move || accept(&listener, &shared)
        };
        let accepting =
            thread::Builder::new().name("view".into()).spawn(accept).map_err(ViewError::Thread)?;
        let url = format!("http://{}/{query}", reachable(address));
        Ok(Self { shared, url, listener, _timers: timers, accepting: Some(accepting) })
    }

    /// Returns the address of the page, with the token that it needs.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns how many messages were not sent, because a newer one of the same topic came before a page took them.
    pub fn replaced(&self) -> u64 {
        self.shared.mailboxes().iter().map(|mailbox| mailbox.replaced()).sum()
    }
}

/// Returns the address with which others reach a server on this one: instead of all addresses of this machine, the one that it has
/// for others. Nothing is sent for that.
fn reachable(address: SocketAddr) -> SocketAddr {
    if !address.ip().is_unspecified() {
        return address;
    }
    // Addresses for documentation, from RFC 5737 and RFC 3849: the system only selects its own address.
    let [here, there] =
        if address.is_ipv4() { ["0.0.0.0:0", "192.0.2.1:9"] } else { ["[::]:0", "[2001:db8::1]:9"] };
    let own = UdpSocket::bind(here).and_then(|socket| {
        socket.connect(there)?;
        socket.local_addr()
    });
    let loopback = if address.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() };
    SocketAddr::new(own.map_or(loopback, |own| own.ip()), address.port())
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Release);
        self.shared.mailboxes().iter().for_each(|mailbox| mailbox.put(Place::Hello, Message::text("{}")));
        // It wakes the thread that accepts.
        let _ = rustix::net::shutdown(&*self.listener, rustix::net::Shutdown::Both);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
        // The pages end by themselves.
        self.shared.known.wait_for_none(Duration::from_secs(1));
        // A thread of a page may keep `shared` for longer.
        if let Some(control) = &self.shared.control {
            control.end();
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.is_over() {
            return;
        }
        let Ok(stream) = stream else {
            // There are no file descriptors left, for example. Waiting gives others time to close some.
            thread::sleep(Duration::from_millis(50));
            continue;
        };
        let own = shared.clone();
        let serve = move || {
            // What goes wrong with a connection ends only that connection.
            let _ = connection(stream, &own);
        };
        // If there is no thread for it, the connection is closed.
        let _ = thread::Builder::new().name("view-page".into()).spawn(serve);
    }
}

/// Answers one request.
fn connection(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    const FULL: &str = "503 Service Unavailable";
    stream.set_write_timeout(Some(HEAD_TIMEOUT))?;
    let Some(stranger) = Counted::new(&shared.strangers, MOST_STRANGERS) else {
        return respond(&stream, FULL, "text/plain", "too many requests are in progress");
    };
    let Some((request, rest)) = head(&mut stream)? else {
        return respond(&stream, "400 Bad Request", "text/plain", "this is not a request for a page");
    };
    if let Err(refusal) = shared.access.check(&request) {
        let status = if refusal == Refusal::Token { "401 Unauthorized" } else { "403 Forbidden" };
        return respond(&stream, status, "text/plain", refusal.text());
    }
    drop(stranger);
    let Some(_known) = Counted::new(&shared.known, MOST_PAGES) else {
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
            lock(&shared.pages).push(Arc::downgrade(&mailbox));
            page::serve(stream, rest, shared, &mailbox)
        }
        _ => respond(&stream, "404 Not Found", "text/plain", "there is no such page"),
    }
}

/// Reads the head of a request, and what comes after it. Returns `None` if it is none.
fn head(stream: &mut TcpStream) -> io::Result<Option<(Request, Vec<u8>)>> {
    let deadline = Instant::now() + HEAD_TIMEOUT;
    let mut bytes = Vec::new();
    let mut part = [0; 1024];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || bytes.len() > LONGEST_HEAD {
            return Ok(None);
        }
        stream.set_read_timeout(Some(left))?;
        let count = stream.read(&mut part)?;
        if count == 0 {
            return Ok(None);
        }
        bytes.extend_from_slice(&part[..count]);
        match request::read(&bytes) {
            Head::Complete(request, length) => return Ok(Some((request, bytes.split_off(length)))),
            Head::Partial => {}
            Head::Wrong => return Ok(None),
        }
    }
}

/// Sends a response, and closes the connection. The policy lets the page load nothing from elsewhere.
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
