//! The processes of Saltus's rows. Each is this program, which is started again in a role.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use saltus::{
    Context, Executor, Node, Publisher, SingleThreadedExecutor, Subscription, cdr::BuildError,
    executor::WaitStrategy, msgs::saltus_bench_msgs::msg::Payload, topic::PublishError, types::lock,
};
use saltus_bench_pingpong::{Arguments, Echoes, PingTransport, Reply, Role, stamp, stamp_at};

use crate::{
    bridged,
    ends::{MATCH, parse_wait},
};

type Error = Box<dyn std::error::Error>;

const DEPTH: u16 = 10;

/// The way in which both ends write and read a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    /// A value is published, and an owned value is received.
    Owned,
    /// The message is built in place, in shared memory, and viewed there.
    InPlace,
    /// Same as `InPlace`, but only the first and last 8 bytes of the data are touched.
    Untouched,
}

/// Parses a mode such as `owned/adaptive`.
fn parse_mode(mode: &str) -> Result<(Access, WaitStrategy), Error> {
    let (access, wait) =
        mode.split_once('/').ok_or_else(|| format!("expected ACCESS/WAIT, found `{mode}`"))?;
    let access = match access {
        "owned" => Access::Owned,
        "in-place" | bridged::MODE => Access::InPlace,
        "untouched" => Access::Untouched,
        other => return Err(format!("expected owned, in-place or untouched, found `{other}`").into()),
    };
    Ok((access, parse_wait(wait)?))
}

/// Sends data in messages, with the access that is measured.
struct Sender {
    publisher: Publisher<Payload>,
    access: Access,
    message: Outgoing,
}

/// The owned message of ping. Its data is created once. After that, only its stamps change.
#[derive(Default)]
struct Outgoing(Payload);

impl Outgoing {
    fn set(&mut self, data: &[u8]) -> &Payload {
        if self.0.data.len() != data.len() {
            self.0.data_size = data.len() as u32;
            self.0.data = data.to_vec();
        }
        stamp(&mut self.0.data, stamp_at(data, 0));
        &self.0
    }
}

impl Sender {
    fn new(publisher: Publisher<Payload>, access: Access) -> Self {
        Self { publisher, access, message: Outgoing::default() }
    }

    fn send(&mut self, data: &[u8]) -> Result<(), Error> {
        match self.access {
            Access::Owned => Ok(self.publisher.publish(self.message.set(data))?),
            Access::InPlace => Ok(self.build(data.len(), |buffer| buffer.copy_from_slice(data))?),
            Access::Untouched => {
                let sequence = stamp_at(data, 0);
                Ok(self.build(data.len(), |buffer| stamp(buffer, sequence))?)
            }
        }
    }

    fn build(&self, len: usize, fill: impl FnOnce(&mut [u8])) -> Result<(), BuildError<PublishError>> {
        let loan = self.publisher.loan(Payload::size_hint(len)).map_err(BuildError::Room)?;
        loan.topic_id(0).timestamp(0).sequence_number(0).data_size(len as u32).data(len, fill).publish()
    }
}

/// Returns two topics: the one that this role publishes, and the one that it subscribes to.
fn topics(arguments: &Arguments) -> (String, String) {
    let (ping, pong) = (format!("ping_{}", arguments.tag), format!("pong_{}", arguments.tag));
    match arguments.role {
        Role::Ping => (ping, pong),
        Role::Pong => (pong, ping),
    }
}

fn wait_for_peer(
    node: &Node,
    publisher: &Publisher<Payload>,
    subscription: &Subscription<Payload>,
) -> Result<(), Error> {
    let matched = || publisher.subscription_count() == 1 && subscription.publisher_count() == 1;
    if node.context().wait_until(MATCH, matched) { Ok(()) } else { Err("no other process was found".into()) }
}

/// The data that ping's callback and the loop that waits for the reply share.
#[derive(Default)]
struct Inbox {
    whole: bool,
    reply: Option<Reply>,
}

struct SaltusPing {
    executor: SingleThreadedExecutor,
    inbox: Arc<Mutex<Inbox>>,
    sender: Sender,
    _subscription: Subscription<Payload>,
}

impl SaltusPing {
    fn inbox(&self) -> std::sync::MutexGuard<'_, Inbox> {
        lock(&self.inbox)
    }
}

impl PingTransport for SaltusPing {
    fn round_trip(&mut self, data: &[u8], whole: bool, timeout: Duration) -> Result<Option<Reply>, String> {
        self.inbox().whole = whole;
        self.send(data)?;
        let deadline = Instant::now() + timeout;
        loop {
            // The clock is read only after a spin without a reply, so that reading the clock does not delay a reply.
            self.executor.spin_once(Some(timeout)).map_err(|e| e.to_string())?;
            // Over a network with losses, the reply to an earlier message may come after its time.
            let reply = self.inbox().reply.take().filter(|reply| reply.first == stamp_at(data, 0));
            if reply.is_some() {
                return Ok(reply);
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
        }
    }

    fn send(&mut self, data: &[u8]) -> Result<(), String> {
        self.sender.send(data).map_err(|e| e.to_string())
    }

    fn carries_content(&self) -> bool {
        self.sender.access != Access::Untouched
    }

    fn cpu_counts(&self) -> Option<(u64, u64)> {
        let counts = self.executor.cpu_counts();
        Some((counts.same_cpu, counts.other_cpu))
    }
}

/// Runs ping or pong.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Error> {
    match arguments.role {
        Role::Ping => ping(arguments),
        Role::Pong => pong(arguments),
    }
}

fn ping(arguments: &Arguments) -> Result<(), Error> {
    let (access, wait) = parse_mode(&arguments.mode)?;
    let (to, from) = topics(arguments);
    let context = Context::new()?;
    let node = context.node("ping").create()?;
    let inbox = Arc::<Mutex<Inbox>>::default();
    let publisher = node.publisher::<Payload>(&to).qos(DEPTH).create()?;
    let received = inbox.clone();
    let note = move |data: &[u8]| {
        let mut inbox = lock(&received);
        inbox.reply = Some(Reply::of(data, inbox.whole));
    };
    let builder = node.subscription::<Payload>(&from).qos(DEPTH);
    let subscription = match access {
        Access::Owned => builder.callback(move |message| note(&message.data))?,
        Access::InPlace | Access::Untouched => builder.view(move |message| note(message.data()))?,
    };
    wait_for_peer(&node, &publisher, &subscription)?;
    let executor = SingleThreadedExecutor::new(&context)?.strategy(wait);
    executor.add_node(&node);
    let sender = Sender::new(publisher, access);
    let mut transport = SaltusPing { executor, inbox, sender, _subscription: subscription };
    Ok(saltus_bench_pingpong::ping(arguments, env!("CARGO_PKG_VERSION"), &mut transport)?)
}

fn pong(arguments: &Arguments) -> Result<(), Error> {
    let (access, wait) = parse_mode(&arguments.mode)?;
    let (to, from) = topics(arguments);
    let context = Context::new()?;
    let node = context.node("pong").create()?;
    let publisher = node.publisher::<Payload>(&to).qos(DEPTH).create()?;
    let mut executor = SingleThreadedExecutor::new(&context)?.strategy(wait);
    let echoes = Arc::new(Mutex::new(Echoes::new(arguments)));
    let (recorded, handle) = (echoes.clone(), executor.handle());
    let is_last = move |data: &[u8]| {
        let is_last = !lock(&recorded).note(data);
        if is_last {
            handle.cancel();
        }
        is_last
    };
    let builder = node.subscription::<Payload>(&from).qos(DEPTH);
    let mut sender = Sender::new(publisher, access);
    let _subscription = match access {
        Access::Owned => builder.callback(move |message| {
            if !is_last(&message.data) {
                report(sender.publisher.publish(&message));
            }
        })?,
        Access::InPlace | Access::Untouched => builder.view(move |message| {
            let data: &[u8] = message.data();
            if !is_last(data) {
                report(sender.send(data));
            }
        })?,
    };
    executor.spin_node(&node)?;
    lock(&echoes).report();
    Ok(())
}

fn report<E: std::fmt::Display>(sent: Result<(), E>) {
    if let Err(error) = sent {
        eprintln!("{error}");
    }
}
