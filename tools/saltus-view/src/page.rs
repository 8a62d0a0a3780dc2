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
    command::PageCommand,
    mailbox::{Mailbox, MailboxSlot},
    state::ServerState,
};

/// The maximum length of a message from a page, in bytes. Commands are short.
const MAX_COMMAND_LENGTH: usize = 64 << 10;
/// The period at which a page is sent a ping.
const PING_PERIOD: Duration = Duration::from_secs(10);
/// The connection is closed after this time without a message from the page.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(60);
/// The maximum number of commands that are read in one pass, so that a page that sends all the time also gets messages.
const MAX_COMMANDS_PER_TURN: usize = 100;

/// A connection to a page.
struct Page<'a> {
    state: &'a ServerState,
    socket: WebSocket<TcpStream>,
    mailbox: Arc<Mailbox>,
    /// Whether a part of the last message is still to be sent.
    is_sending: bool,
    last_ping: Instant,
    /// The time of the last message from the page.
    last_received: Instant,
}

/// The page has closed the connection, or the connection is lost.
struct ConnectionClosed;

/// Serves a page until the page or the server ends the connection. `rest` contains the bytes that the page has already sent.
pub(crate) fn serve(
    stream: TcpStream,
    rest: Vec<u8>,
    state: &ServerState,
    mailbox: &Arc<Mailbox>,
) -> io::Result<()> {
    stream.set_nonblocking(true)?;
    stream.set_nodelay(true)?;
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_COMMAND_LENGTH))
        .max_frame_size(Some(MAX_COMMAND_LENGTH))
        .write_buffer_size(0)
        .max_write_buffer_size(usize::MAX);
    let socket = WebSocket::from_partially_read(stream, rest, Role::Server, Some(config));
    let now = Instant::now();
    let mut page = Page {
        state,
        socket,
        mailbox: mailbox.clone(),
        is_sending: false,
        last_ping: now,
        last_received: now,
    };
    page.mailbox.put(
        MailboxSlot::Hello,
        Message::text(json!({"op": "hello", "control": state.has_control()}).to_string()),
    );
    while !state.is_ended() {
        if page.run_once().is_err() {
            break;
        }
    }
    Ok(())
}

impl Page<'_> {
    /// Executes the commands of the page, sends the messages that wait for it, and waits until there is more to do.
    fn run_once(&mut self) -> Result<(), ConnectionClosed> {
        let is_busy = self.read()?;
        if self.last_received.elapsed() > SILENCE_TIMEOUT {
            return Err(ConnectionClosed);
        }
        self.mailbox.wake_event().clear();
        self.send()?;
        if self.last_ping.elapsed() > PING_PERIOD && !self.is_sending {
            self.last_ping = Instant::now();
            self.is_sending = is_unfinished(self.socket.send(Message::Ping(tungstenite::Bytes::new())))?;
        }
        if is_busy { Ok(()) } else { self.wait() }
    }

    /// Reads and executes commands. Returns whether there may be more.
    fn read(&mut self) -> Result<bool, ConnectionClosed> {
        for _ in 0..MAX_COMMANDS_PER_TURN {
            let message = match self.socket.read() {
                Ok(message) => message,
                Err(tungstenite::Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => {
                    return Ok(false);
                }
                Err(_) => return Err(ConnectionClosed),
            };
            self.last_received = Instant::now();
            match message {
                Message::Text(text) => self.execute(&text),
                Message::Close(_) => return Err(ConnectionClosed),
                // Each ping needs an answer. If the page does not read them, the answers would fill the memory.
                Message::Ping(_) if self.is_sending => return Err(ConnectionClosed),
                _ => {}
            }
        }
        Ok(true)
    }

    /// Executes a command, and sends an error to the page if that fails.
    fn execute(&self, text: &str) {
        let result = PageCommand::parse(text).and_then(|command| self.state.execute(&command, &self.mailbox));
        if let Err(error) = result {
            self.mailbox
                .put(MailboxSlot::Error, Message::text(json!({"op": "error", "text": error}).to_string()));
        }
    }

    /// Sends the messages that wait, as long as the socket accepts them.
    fn send(&mut self) -> Result<(), ConnectionClosed> {
        if self.is_sending {
            self.is_sending = is_unfinished(self.socket.flush())?;
        }
        while !self.is_sending {
            let Some(message) = self.mailbox.take() else { return Ok(()) };
            self.is_sending = is_unfinished(self.socket.send(message))?;
        }
        Ok(())
    }

    /// Waits until the page has sent something, until the socket accepts more bytes, or until there is a new message for the page.
    fn wait(&self) -> Result<(), ConnectionClosed> {
        let events = if self.is_sending { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        // While the socket accepts nothing, a new message can't be sent, so it need not wake this thread.
        let wake_events = if self.is_sending { PollFlags::empty() } else { PollFlags::IN };
        let mut fds =
            [PollFd::new(self.socket.get_ref(), events), PollFd::new(self.mailbox.wake_event(), wake_events)];
        let timeout = Timespec { tv_sec: 1, tv_nsec: 0 };
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(_) => Err(ConnectionClosed),
        }
    }
}

/// Returns whether a part of a message is still to be sent.
fn is_unfinished(sent: tungstenite::Result<()>) -> Result<bool, ConnectionClosed> {
    match sent {
        Ok(()) => Ok(false),
        Err(tungstenite::Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => Ok(true),
        Err(_) => Err(ConnectionClosed),
    }
}
