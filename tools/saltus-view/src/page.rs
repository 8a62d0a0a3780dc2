//! A connection to a page.

use std::{
    io::{self, ErrorKind},
    net::TcpStream,
    sync::Arc,
    time::{Duration, Instant},
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::json;
use tungstenite::{Message, WebSocket, protocol::Role, protocol::WebSocketConfig};

use crate::{
    mailbox::{Mailbox, Place},
    order::Order,
    shared::Shared,
};

/// The largest message of a page, in bytes. Its orders are short.
const LARGEST_ORDER: usize = 64 << 10;
/// How often a page is asked whether it is still there, and after which silence its connection is closed.
const PING_EVERY: Duration = Duration::from_secs(10);
const SILENT_FOR: Duration = Duration::from_secs(60);
/// After how many orders a page must wait for its turn, so that one page can't keep the others out.
const ORDERS_AT_ONCE: usize = 100;

/// A connection to a page.
struct Page<'a> {
    shared: &'a Shared,
    socket: WebSocket<TcpStream>,
    mailbox: Arc<Mailbox>,
    /// Whether a message was not yet sent completely.
    is_sending: bool,
    /// When it was asked last whether it is there, and when it was heard last.
    asked: Instant,
    heard: Instant,
}

/// Why a connection ends.
enum End {
    /// The page has closed it, or it is lost.
    Closed,
}

/// Serves a page, until it or the server ends the connection. `rest` is what the page has already sent.
pub(crate) fn serve(
    stream: TcpStream,
    rest: Vec<u8>,
    shared: &Shared,
    mailbox: &Arc<Mailbox>,
) -> io::Result<()> {
    stream.set_nonblocking(true)?;
    stream.set_nodelay(true)?;
    let config = WebSocketConfig::default()
        .max_message_size(Some(LARGEST_ORDER))
        .max_frame_size(Some(LARGEST_ORDER))
        .write_buffer_size(0)
        .max_write_buffer_size(usize::MAX);
    let socket = WebSocket::from_partially_read(stream, rest, Role::Server, Some(config));
    let now = Instant::now();
    let mut page =
        Page { shared, socket, mailbox: mailbox.clone(), is_sending: false, asked: now, heard: now };
    page.mailbox.put(
        Place::Hello,
        Message::text(json!({"op": "hello", "control": shared.has_control()}).to_string()),
    );
    while !shared.is_over() {
        if page.turn().is_err() {
            break;
        }
    }
    Ok(())
}

impl Page<'_> {
    /// Reads what the page asks for, and sends what waits for it. Then it waits for more.
    fn turn(&mut self) -> Result<(), End> {
        let is_busy = self.read()?;
        if self.heard.elapsed() > SILENT_FOR {
            return Err(End::Closed);
        }
        self.mailbox.bell().silence();
        self.send()?;
        if self.asked.elapsed() > PING_EVERY && !self.is_sending {
            self.asked = Instant::now();
            self.is_sending = unfinished(self.socket.send(Message::Ping(tungstenite::Bytes::new())))?;
        }
        if is_busy { Ok(()) } else { self.wait() }
    }

    /// Reads orders. Returns whether there may be more.
    fn read(&mut self) -> Result<bool, End> {
        for _ in 0..ORDERS_AT_ONCE {
            let message = match self.socket.read() {
                Ok(message) => message,
                Err(tungstenite::Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => {
                    return Ok(false);
                }
                Err(_) => return Err(End::Closed),
            };
            self.heard = Instant::now();
            match message {
                Message::Text(text) => self.obey(&text),
                Message::Close(_) => return Err(End::Closed),
                // Each ping needs an answer. One that does not read would fill the memory with them.
                Message::Ping(_) if self.is_sending => return Err(End::Closed),
                _ => {}
            }
        }
        Ok(true)
    }

    fn obey(&self, text: &str) {
        let done = Order::parse(text).and_then(|order| self.shared.obey(&order, &self.mailbox));
        if let Err(error) = done {
            self.mailbox.put(Place::Error, Message::text(json!({"op": "error", "text": error}).to_string()));
        }
    }

    /// Sends what waits, as long as the page takes it.
    fn send(&mut self) -> Result<(), End> {
        if self.is_sending {
            self.is_sending = unfinished(self.socket.flush())?;
        }
        while !self.is_sending {
            let Some(message) = self.mailbox.take() else { return Ok(()) };
            self.is_sending = unfinished(self.socket.send(message))?;
        }
        Ok(())
    }

    /// Waits until the page has sent something, until it can take more, or until something is there for it.
    fn wait(&self) -> Result<(), End> {
        let events = if self.is_sending { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        // While the page does not take what was sent, newer messages only replace those that wait.
        let bell = if self.is_sending { PollFlags::empty() } else { PollFlags::IN };
        let mut fds = [PollFd::new(self.socket.get_ref(), events), PollFd::new(self.mailbox.bell(), bell)];
        let timeout = Timespec { tv_sec: 1, tv_nsec: 0 };
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(_) => Err(End::Closed),
        }
    }
}

/// Whether a message was not yet sent completely.
fn unfinished(sent: tungstenite::Result<()>) -> Result<bool, End> {
    match sent {
        Ok(()) => Ok(false),
        Err(tungstenite::Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => Ok(true),
        Err(_) => Err(End::Closed),
    }
}
