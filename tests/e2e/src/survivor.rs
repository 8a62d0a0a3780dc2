//! An actor that must not be affected by what happens to other processes, and that counts every message.
//!
//! `survivor NAME PERIOD_US PEER…` publishes numbered messages on `numbered/NAME` and takes the messages of its peers.
//! The content of a message is computed from its number. The actor keeps some messages for a while, and checks them
//! before it drops them. On the command `stop`, it stops publishing and prints how many messages it has sent. On `drain
//! PEER=NUMBER …`, it waits for the last message of each peer and prints its account. `tests/e2e/README.md` describes
//! the lines. `survivor.py` prints the same lines.

use std::{
    collections::VecDeque,
    fs::File,
    io::BufRead,
    os::unix::fs::FileExt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use saltus::{
    Context, Publisher, QoS,
    advanced::Waker,
    executor::WaitStrategy,
    msgs::saltus_bench_msgs::msg::Payload,
    qos::LossCause,
    time::monotonic_now,
    topic::{PollSubscription, Sample},
    types::lock,
};

use crate::{
    member::{number_of, payload},
    stdio::{Error, ready},
};

/// The depth of the queues for peers: more messages than are sent during the longest stop of a process.
const DEPTH: u16 = 4000;
/// The depth of the queue for messages of victims.
const VICTIM_DEPTH: u16 = 5;
/// A pause between messages of a peer is recorded if it is longer than this, in nanoseconds.
const GAP: u64 = 200_000_000;
/// The interval at which the actor checks whether it got a CPU, and the shortest wait for a CPU that is recorded, in
/// nanoseconds.
const PULSE: u64 = 20_000_000;
const STALL: u64 = 5_000_000;
/// The largest number of messages that are kept at a time. It is larger than the borrow limit.
const KEPT: usize = 40;
/// The time limit for the arrival of the last messages, in nanoseconds.
const LONG: u64 = 20_000_000_000;

/// The start and the end of a period, in monotonic nanoseconds.
type Interval = (u64, u64);

pub(crate) fn run(name: &str, period_us: u64, peers: &[&str]) -> Result<(), Error> {
    let context = Context::new()?;
    let stalls = watch_for_stalls();
    let commands = read_commands(&context)?;
    let mut survivor = Survivor::new(context, name, period_us * 1000, peers)?;
    survivor.set_waker(&lock(&commands.waiter).waker(1));
    ready()?;
    while survivor.turn(&commands)? {}
    for (start, end) in lock(&stalls).iter() {
        println!("stall {start} {end}");
    }
    println!("done");
    Ok(())
}

/// Records when this process got no CPU time: none of its threads ran, or the kernel counted that its main thread
/// waited. A process that shares a CPU with many others waits often, but briefly each time. So even short waits are
/// recorded.
fn watch_for_stalls() -> Arc<Mutex<Vec<Interval>>> {
    let stalls = Arc::<Mutex<Vec<Interval>>>::default();
    let noted = stalls.clone();
    thread::spawn(move || {
        let mut waits = Waits::of_main_thread();
        let mut before = monotonic_now();
        loop {
            thread::sleep(Duration::from_nanos(PULSE));
            let (now, waited) = (monotonic_now(), waits.since_last_call());
            let lost = waited.max(now - before - PULSE);
            if lost >= STALL {
                lock(&noted).push((now - lost, now));
            }
            before = now;
        }
    });
    stalls
}

/// The total time for which a thread was ready to run but did not run, as the kernel counts it.
struct Waits {
    file: Option<File>,
    total: u64,
}

impl Waits {
    fn of_main_thread() -> Self {
        let file = File::open(format!("/proc/self/task/{}/schedstat", std::process::id())).ok();
        let mut waits = Self { file, total: 0 };
        waits.since_last_call();
        waits
    }

    /// Returns the waiting time since the last call in nanoseconds, or 0 if the kernel does not count it. The second
    /// number in the file is the total.
    fn since_last_call(&mut self) -> u64 {
        let mut text = [0; 128];
        let length = self.file.as_ref().and_then(|file| file.read_at(&mut text, 0).ok()).unwrap_or(0);
        let text = std::str::from_utf8(&text[..length]).unwrap_or_default();
        let total = text.split(' ').nth(1).and_then(|number| number.parse().ok()).unwrap_or(0);
        total - std::mem::replace(&mut self.total, total)
    }
}

/// Starts a thread that reads the lines of the standard input, and wakes the survivor for each line.
fn read_commands(context: &Context) -> Result<Commands, Error> {
    let waiter = context.waiter()?;
    let waker = waiter.waker(0);
    let (sender, lines) = mpsc::channel();
    let is_closed = Arc::new(AtomicBool::new(false));
    let closed = is_closed.clone();
    thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
            waker.ring();
        }
        closed.store(true, Ordering::Release);
        waker.ring();
    });
    Ok(Commands { waiter: Mutex::new(waiter), lines, is_closed })
}

struct Commands {
    waiter: Mutex<saltus::advanced::Waiter>,
    lines: mpsc::Receiver<String>,
    is_closed: Arc<AtomicBool>,
}

struct Survivor {
    publisher: Publisher<Payload>,
    /// Late joiners receive these messages too.
    to_victims: Publisher<Payload>,
    from_victims: PollSubscription<Payload>,
    corrupt_from_victims: u64,
    peers: Vec<Peer>,
    kept: VecDeque<(u64, u32, Sample)>,
    kept_corrupt: u64,
    period: u64,
    next_publish: u64,
    is_stopped: bool,
    sent: u32,
    failed: u64,
    failing: Vec<Interval>,
    draining: Option<u64>,
}

/// The messages that were received from a peer.
struct Peer {
    name: String,
    subscription: PollSubscription<Payload>,
    next: Option<u32>,
    received: u64,
    missing: u64,
    corrupt: u64,
    last_at: u64,
    gaps: Vec<Interval>,
    /// The number of the peer's last message, once it is known.
    last: Option<u32>,
}

impl Survivor {
    fn new(context: Context, name: &str, period: u64, peers: &[&str]) -> Result<Self, Error> {
        let node = context.node(name).create()?;
        let publisher = node.publisher(&format!("numbered/{name}")).create()?;
        let latched = QoS::keep_last(2).transient_local();
        let to_victims = node.publisher("to_victims").qos(latched).create()?;
        let from_victims = node.subscription("from_victims").qos(VICTIM_DEPTH).create()?;
        let subscribe = |peer: &&str| {
            let subscription =
                node.subscription(&format!("numbered/{peer}")).qos(QoS::keep_last(DEPTH)).create()?;
            Ok(Peer::new(peer, subscription))
        };
        let peers = peers.iter().map(subscribe).collect::<Result<Vec<_>, Error>>()?;
        let matched = || {
            let heard = peers.iter().all(|peer| peer.subscription.publisher_count() == 1);
            heard && publisher.subscription_count() == peers.len()
        };
        if !context.wait_until(Duration::from_nanos(LONG), matched) {
            return Err("not all survivors matched within 20 s".into());
        }
        Ok(Self {
            publisher,
            to_victims,
            from_victims,
            corrupt_from_victims: 0,
            peers,
            kept: VecDeque::new(),
            kept_corrupt: 0,
            period,
            next_publish: monotonic_now() + period,
            is_stopped: false,
            sent: 0,
            failed: 0,
            failing: Vec::new(),
            draining: None,
        })
    }

    /// Makes every message wake this waker.
    fn set_waker(&self, waker: &Waker) {
        self.peers.iter().for_each(|peer| peer.subscription.set_waker(Some(waker)));
        self.from_victims.set_waker(Some(waker));
    }

    /// Does what is due, and waits for the next event. Returns `false` when everything is done.
    fn turn(&mut self, commands: &Commands) -> Result<bool, Error> {
        let now = monotonic_now();
        if now >= self.next_publish && !self.is_stopped {
            self.publish_next(now);
        }
        self.take_all(now)?;
        self.drop_old(now);
        while let Ok(line) = commands.lines.try_recv() {
            self.execute(&line)?;
        }
        if self.draining.is_some_and(|until| self.is_drained() || now >= until) {
            self.report();
            return Ok(false);
        }
        if commands.is_closed.load(Ordering::Acquire) && self.draining.is_none() {
            return Ok(false);
        }
        let mut waiter = lock(&commands.waiter);
        let until = if self.is_stopped { now + PULSE } else { self.next_publish };
        waiter.check()?;
        waiter.wait(WaitStrategy::Block, Some(until));
        Ok(true)
    }

    fn publish_next(&mut self, now: u64) {
        // If this message is late, the next period begins now. Peers check the numbers of messages, not their times.
        self.next_publish = (self.next_publish + self.period).max(now);
        let number = self.sent + 1;
        match self.publisher.publish(&payload(number, size_of_message(number))) {
            Ok(()) => self.sent = number,
            Err(error) => {
                eprintln!("{error}");
                self.failed += 1;
                self.failing.push((now, monotonic_now()));
            }
        }
        // An error is ignored. A failure for lack of memory has been recorded above.
        let _ = self.to_victims.publish(&payload(number, size_of_message(number)));
    }

    fn take_all(&mut self, now: u64) -> Result<(), Error> {
        for peer in &mut self.peers {
            while let Some(sample) = peer.subscription.take_sample() {
                let number = peer.note(&sample, now);
                if number.is_some_and(|number| number % 7 == 0) && self.kept.len() < KEPT {
                    let number = number.unwrap_or_default();
                    let until = now + u64::from(number % 500) * 1_000_000;
                    self.kept.push_back((until, number, sample));
                }
            }
        }
        // This takes at most as many messages as the queue can hold, because victims may send faster than this survivor
        // takes.
        for _ in 0..VICTIM_DEPTH {
            let Some(sample) = self.from_victims.take_sample() else { break };
            let message = saltus::cdr::view::<Payload>(&sample)?;
            let data: &[u8] = message.data();
            self.corrupt_from_victims += u64::from(data.iter().any(|byte| *byte != data[0]));
        }
        Ok(())
    }

    /// Checks and drops the messages that were kept for long enough.
    fn drop_old(&mut self, now: u64) {
        while let Some((_, number, sample)) = self.kept.pop_front_if(|(until, ..)| *until <= now) {
            self.kept_corrupt += u64::from(number_of(&sample).ok() != Some(number));
        }
    }

    fn execute(&mut self, line: &str) -> Result<(), Error> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["stop"] => {
                self.is_stopped = true;
                println!("sent={} failed={}", self.sent, self.failed);
            }
            ["drain", ref last @ ..] => {
                for word in last {
                    let (name, number) = word.split_once('=').ok_or("expected PEER=NUMBER")?;
                    let number = number.parse()?;
                    self.peers
                        .iter_mut()
                        .filter(|peer| peer.name == name)
                        .for_each(|peer| peer.last = Some(number));
                }
                self.draining = Some(monotonic_now() + LONG);
            }
            _ => return Err(format!("no such command: {line}").into()),
        }
        Ok(())
    }

    fn is_drained(&self) -> bool {
        self.peers.iter().all(|peer| peer.last.is_none_or(|last| peer.next.is_some_and(|next| next > last)))
    }

    fn report(&mut self) {
        self.drop_old(u64::MAX);
        for peer in &self.peers {
            let losses = peer.subscription.status().losses;
            println!(
                "from {} received={} missing={} corrupt={} last={} overflow={} memory={} all={}",
                peer.name,
                peer.received,
                peer.missing,
                peer.corrupt,
                peer.next.map_or(0, |next| next - 1),
                losses[LossCause::QueueOverflow],
                losses[LossCause::OutOfMemory],
                losses.total(),
            );
            for (start, end) in &peer.gaps {
                println!("gap {} {start} {end}", peer.name);
            }
        }
        for (start, end) in &self.failing {
            println!("failing {start} {end}");
        }
        let from_victims = self.from_victims.status();
        let corrupt = self.corrupt_from_victims + from_victims.losses[LossCause::Corrupt];
        println!("victims received={} corrupt={corrupt}", from_victims.received);
        println!("kept corrupt={}", self.kept_corrupt);
    }
}

impl Peer {
    fn new(name: &str, subscription: PollSubscription<Payload>) -> Self {
        let (next, last, gaps) = (None, None, Vec::new());
        let name = name.to_owned();
        Self { name, subscription, next, received: 0, missing: 0, corrupt: 0, last_at: 0, gaps, last }
    }

    /// Records a message. Returns its number if the content matches the number.
    fn note(&mut self, sample: &Sample, now: u64) -> Option<u32> {
        self.received += 1;
        if self.last_at != 0 && now - self.last_at > GAP {
            self.gaps.push((self.last_at, now));
        }
        self.last_at = now;
        let Ok(number) = number_of(sample) else {
            self.corrupt += 1;
            return None;
        };
        let next = self.next.replace(number + 1).unwrap_or(number);
        // A repeated or earlier number counts as corrupt. Skipped numbers count as missing.
        match number.checked_sub(next) {
            Some(missing) => self.missing += u64::from(missing),
            None => self.corrupt += 1,
        }
        Some(number)
    }
}

/// Returns a size that is mostly small and sometimes large. The same large size is not returned again soon.
fn size_of_message(number: u32) -> usize {
    let large = 300_000 + number as usize % 977 * 1000;
    if number.is_multiple_of(101) { large } else { 16 << (number % 11) }
}
