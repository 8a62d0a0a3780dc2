//! An actor that executes commands, one per line. With it, a test can create a situation step by step.
//!
//! The member answers each command with one line. `member NAME` has a node with this name, and publishes on
//! `numbered/NAME`. The content of a message is computed from its number, so that a changed message is detected.

use std::{
    collections::HashMap,
    io::{BufRead, Write},
    os::unix::process::CommandExt,
    process::Command,
    time::{Duration, Instant},
};

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use saltus::{
    Context, Node, Publisher, QoS,
    msgs::saltus_bench_msgs::msg::{Payload, PayloadView},
    topic::{PollSubscription, Sample},
};

use crate::stdio::{Error, ready};

/// The time limit for everything that must happen.
const LONG: Duration = Duration::from_secs(5);
/// The depth of the queues for messages of other members.
const DEPTH: usize = 100;

pub(crate) fn run(name: &str) -> Result<(), Error> {
    let mut member = Some(Member::new(name)?);
    ready()?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let answer = match (&mut member, &words[..]) {
            (member, ["leave"]) => {
                *member = None;
                "left".to_owned()
            }
            (Some(member), words) => member.execute(words).unwrap_or_else(|error| format!("failed: {error}")),
            (None, _) => "has left".to_owned(),
        };
        println!("{answer}");
        std::io::stdout().flush()?;
    }
    Ok(())
}

struct Member {
    context: Context,
    node: Node,
    publisher: Publisher<Payload>,
    sent: u32,
    received: HashMap<String, Received>,
}

/// The way in which a member waits for messages, and whether it keeps them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Take {
    Block,
    /// Waits in `poll`, as an executor that also waits for file descriptors does.
    Poll,
    /// Same as `Block`, and keeps the messages.
    Keep,
}

/// The messages that were received from another member.
struct Received {
    subscription: PollSubscription<Payload>,
    /// The expected number of the next message.
    next: Option<u32>,
    kept: Vec<Sample>,
}

impl Member {
    fn new(name: &str) -> Result<Self, Error> {
        let context = Context::new()?;
        let node = context.node(name).create()?;
        let publisher = node.publisher(&format!("numbered/{name}")).create()?;
        Ok(Self { context, node, publisher, sent: 0, received: HashMap::new() })
    }

    fn execute(&mut self, words: &[&str]) -> Result<String, Error> {
        match words {
            ["graph", names @ ..] => Ok(self.wait_for_graph(names)),
            ["find", names @ ..] => Ok(self.wait_to_find(names)),
            ["subscribe", other] => self.subscribe(other),
            ["send", count, size] => self.send(count.parse()?, size.parse()?),
            ["take", other, count] => self.take(other, count.parse()?, Take::Block),
            ["poll", other, count] => self.take(other, count.parse()?, Take::Poll),
            ["keep", other, count] => self.take(other, count.parse()?, Take::Keep),
            ["check"] => self.check(),
            ["status"] => Ok(format!("{:?}", self.publisher.status())),
            ["become-user", user] => {
                nix::unistd::seteuid(user.parse::<u32>()?.into())?;
                Ok(format!("is user {user}"))
            }
            ["limit-descriptors", count] => limit_descriptors(count.parse()?),
            ["take-all-descriptors"] => take_all_descriptors(),
            ["daemon"] => {
                // The parent ends at once. The child continues, with the same output.
                nix::unistd::daemon(true, true)?;
                Ok("is a daemon".into())
            }
            ["exec", program, arguments @ ..] => Err(Command::new(program).args(arguments).exec().into()),
            _ => Err(format!("no such command: {words:?}").into()),
        }
    }

    /// Waits until the graph contains exactly these nodes. Returns how long that took, or the nodes that the graph
    /// contains instead.
    fn wait_for_graph(&self, names: &[&str]) -> String {
        let begun = Instant::now();
        let mut found = Vec::new();
        let holds = self.context.wait_until(LONG, || {
            found = self.context.graph().nodes.into_iter().map(|node| node.name).collect();
            found.sort();
            found == names
        });
        match holds {
            true => format!("graph after_us={}", begun.elapsed().as_micros()),
            false => format!("graph is {}", found.join(" ")),
        }
    }

    /// Waits until the graph contains all of these nodes. It may also contain others. Returns the missing nodes, if
    /// any.
    fn wait_to_find(&self, names: &[&str]) -> String {
        let mut missing = Vec::new();
        let holds = self.context.wait_until(LONG, || {
            let found = self.context.graph().nodes;
            let is_missing = |name: &&&str| !found.iter().any(|node| node.name == **name);
            missing = names.iter().filter(is_missing).copied().collect();
            missing.is_empty()
        });
        if holds { "found all".into() } else { format!("did not find {}", missing.join(" ")) }
    }

    fn subscribe(&mut self, other: &str) -> Result<String, Error> {
        let topic = format!("numbered/{other}");
        let subscription = self.node.subscription(&topic).qos(QoS::keep_last(DEPTH as u16)).create()?;
        if !subscription.wait_for_publishers(1, LONG) {
            return Err(format!("no publisher of {topic} within {LONG:?}").into());
        }
        self.received.insert(other.to_owned(), Received { subscription, next: None, kept: Vec::new() });
        Ok(format!("subscribed to {other}"))
    }

    fn send(&mut self, count: u32, size: usize) -> Result<String, Error> {
        for _ in 0..count {
            self.sent += 1;
            self.publisher.publish(&payload(self.sent, size))?;
        }
        Ok(format!("sent up to {}", self.sent))
    }

    /// Takes `count` messages of another member. Checks the number and the content of each.
    fn take(&mut self, other: &str, count: usize, way: Take) -> Result<String, Error> {
        let received = self
            .received
            .get_mut(other)
            .ok_or("there is no subscription to that member: use `subscribe` first")?;
        let mut waiter = self.context.waiter()?;
        received.subscription.set_waker(Some(&waiter.waker(0)));
        let deadline = saltus::time::monotonic_now() + LONG.as_nanos() as u64;
        let mut taken = 0;
        while taken < count {
            // The deadline is checked before a message is taken. A message that did not wake this thread would be found
            // at the deadline, and must not count.
            if saltus::time::monotonic_now() >= deadline {
                return Err(format!("only {taken} messages were received").into());
            }
            let Some(sample) = received.subscription.take_sample() else {
                if way == Take::Poll {
                    waiter.wait_with_fds(&[], Some(deadline))?;
                } else {
                    waiter.wait(saltus::executor::WaitStrategy::Block, Some(deadline));
                }
                continue;
            };
            taken += 1;
            let number = number_of(&sample)?;
            if received.next.is_some_and(|next| next != number) {
                return Err(format!("message {number} was received instead of {:?}", received.next).into());
            }
            received.next = Some(number + 1);
            if way == Take::Keep {
                received.kept.push(sample);
            }
        }
        received.subscription.set_waker(None);
        Ok(format!("took {taken}"))
    }

    /// Checks that all kept messages are unchanged.
    fn check(&self) -> Result<String, Error> {
        let kept: Vec<&Sample> = self.received.values().flat_map(|received| &received.kept).collect();
        let changed = kept.iter().filter(|sample| number_of(sample).is_err()).count();
        Ok(format!("kept={} changed={changed}", kept.len()))
    }
}

/// Limits the file descriptors of this process, so that it can open `count` more.
fn limit_descriptors(count: usize) -> Result<String, Error> {
    const LIMIT: u64 = 300;
    let hard = getrlimit(Resource::RLIMIT_NOFILE)?.1;
    setrlimit(Resource::RLIMIT_NOFILE, LIMIT, hard)?;
    let mut all = Vec::new();
    while let Ok(file) = std::fs::File::open("/dev/null") {
        all.push(file);
    }
    all.truncate(all.len().saturating_sub(count));
    std::mem::forget(all);
    Ok(format!("may open {count} more"))
}

/// Uses up all file descriptors of this process. A thread also takes each descriptor that becomes free later.
fn take_all_descriptors() -> Result<String, Error> {
    limit_descriptors(0)?;
    std::thread::spawn(|| {
        loop {
            if let Ok(file) = std::fs::File::open("/dev/null") {
                std::mem::forget(file);
            }
        }
    });
    Ok("has taken all descriptors".into())
}

/// Returns the message with a number.
pub(crate) fn payload(number: u32, size: usize) -> Payload {
    let data = content(number, size);
    Payload { sequence_number: number, data_size: size as u32, data, ..Payload::default() }
}

/// Returns the number of a message, or an error if the content does not match the number.
pub(crate) fn number_of(sample: &Sample) -> Result<u32, Error> {
    let view: PayloadView<'_> = saltus::cdr::view::<Payload>(sample)?;
    let (number, data) = (view.sequence_number(), view.data());
    let is_right = *data == content(number, view.data_size() as usize);
    if is_right { Ok(number) } else { Err(format!("message {number} has the content of another").into()) }
}

/// Returns the content of a message: the number, repeated up to the size.
fn content(number: u32, size: usize) -> Vec<u8> {
    let mut content = number.to_le_bytes().repeat(size.div_ceil(4));
    content.truncate(size);
    content
}
