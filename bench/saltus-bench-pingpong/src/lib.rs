//! The ping-pong loop that all Rust rows of the benchmarks share, whatever transports the messages.
//!
//! `bench/peers/c/pingpong.h` is the same loop for C and C++. Both follow `bench/peers/README.md`, so that all rows
//! stamp, check, time and count messages in the same way.

mod stream;

pub use stream::{Arrivals, Stream, send_streams};

use std::{
    fs,
    io::Write,
    time::{Duration, Instant},
};

use rustix::{
    thread::{CpuSet, sched_setaffinity},
    time::{ClockId, clock_gettime},
};

/// The sequence number that ends the exchange.
pub const END: u64 = u64::MAX;
/// The longest time that a reply may take before it counts as lost.
const REPLY: Duration = Duration::from_secs(1);
/// One of this number of messages is compared completely, outside the timed part.
const WHOLE_EVERY: u64 = 100;

/// The end of the exchange that a process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Sends a message, waits for the reply and measures the time.
    Ping,
    /// Sends each message back.
    Pong,
}

/// The arguments that the harness passes to a process; see `bench/peers/README.md`.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// The end of the exchange.
    pub role: Role,
    /// The name that distinguishes the rows of one peer.
    pub mode: String,
    /// The size of the data in a message in bytes, at least 16.
    pub size: usize,
    /// The number of measured round trips.
    pub iterations: u64,
    /// The number of round trips before the measured ones.
    pub warmup: u64,
    /// The CPU to run on, or `None` for any CPU.
    pub cpu: Option<usize>,
    /// A name for topics or ports that no other exchange uses.
    pub tag: String,
    /// The file to which ping writes the nanoseconds of each round trip, as little-endian `u32`.
    pub out: String,
    /// The number of seconds after which ping stops measuring, even if it has not finished.
    pub seconds: u64,
    /// The time from the start of a round trip to the start of the next one, in microseconds; 0 for full speed.
    pub period_us: u64,
}

impl Arguments {
    /// Reads the arguments of the command line, without the program's name.
    ///
    /// The error names the missing or invalid argument.
    pub fn parse(arguments: &[String]) -> Result<Self, String> {
        let role = match arguments.first().map(String::as_str) {
            Some("ping") => Role::Ping,
            Some("pong") => Role::Pong,
            other => return Err(format!("expected `ping` or `pong`, found {other:?}")),
        };
        let text = |name: &str| {
            let index = arguments.iter().position(|argument| argument == name);
            let value = index.and_then(|index| arguments.get(index + 1));
            value.cloned().ok_or_else(|| format!("expected {name} with a value"))
        };
        let number = |name: &str| {
            let value = text(name)?;
            value.parse::<i64>().map_err(|_| format!("expected a number after {name}, found `{value}`"))
        };
        Ok(Self {
            role,
            mode: text("--mode")?,
            size: number("--size")?.max(16) as usize,
            iterations: number("--iterations")? as u64,
            warmup: number("--warmup")? as u64,
            cpu: usize::try_from(number("--cpu")?).ok(),
            tag: text("--tag")?,
            out: text("--out")?,
            seconds: number("--seconds")? as u64,
            period_us: number("--period-us")? as u64,
        })
    }

    /// Makes the whole process run on its CPU, if it has no other threads yet.
    pub fn pin(&self) -> Result<(), String> {
        self.cpu.map_or(Ok(()), pin)
    }
}

/// Makes this process run on a CPU, if it has no other threads yet.
pub fn pin(cpu: usize) -> Result<(), String> {
    let mut set = CpuSet::new();
    set.set(cpu);
    sched_setaffinity(None, &set).map_err(|e| format!("can't run on CPU {cpu}: {e}"))
}

/// The record of ping about a reply.
#[derive(Clone, Copy, Debug)]
pub struct Reply {
    /// The length in bytes.
    pub len: usize,
    /// The first 8 bytes as a number.
    pub first: u64,
    /// The last 8 bytes as a number.
    pub last: u64,
    /// When the reply was received and its stamps were read.
    pub at: Instant,
    /// Whether all other bytes are correct; `true` if they were not compared.
    pub intact: bool,
    /// The time that the comparison took. It is counted neither as time of the message nor as CPU time.
    pub compared: Duration,
}

impl Reply {
    /// Reads the stamps of a reply and the clock. Then compares the complete reply if `whole` is set.
    #[inline]
    pub fn of(data: &[u8], whole: bool) -> Self {
        let (len, first) = (data.len(), stamp_at(data, 0));
        let last = stamp_at(data, len.saturating_sub(8));
        let at = Instant::now();
        let inner = data.get(8..len.saturating_sub(8)).unwrap_or_default();
        let intact = !whole || inner.iter().zip(8..).all(|(byte, i)| *byte == pattern(i));
        let compared = if whole { at.elapsed() } else { Duration::ZERO };
        Self { len, first, last, at, intact, compared }
    }
}

/// Returns the number in the 8 bytes from `at` on, or 0 if there are not that many bytes.
#[inline]
pub fn stamp_at(data: &[u8], at: usize) -> u64 {
    data.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
}

/// Returns byte `i` of a message. The first and last 8 bytes are stamps instead.
pub fn pattern(i: usize) -> u8 {
    (i.wrapping_mul(31) >> 2) as u8
}

/// A transport for messages, as ping uses it.
pub trait PingTransport {
    /// Sends `data` and waits for the reply. Returns `None` if the reply does not arrive in time. An implementation
    /// reads the reply with [`Reply::of`], and passes `whole` to it.
    fn round_trip(&mut self, data: &[u8], whole: bool, timeout: Duration) -> Result<Option<Reply>, String>;

    /// Sends `data` without waiting for a reply.
    fn send(&mut self, data: &[u8]) -> Result<(), String>;

    /// Returns whether the transport carries all of the data, so that it can be compared.
    fn carries_content(&self) -> bool {
        true
    }

    /// Prepares for the measurement. Called before the first measured round trip.
    fn start(&mut self) {}

    /// Returns how many feedback messages were received since the start, if the transport has feedback.
    fn feedback(&self) -> Option<u64> {
        None
    }

    /// Returns how many messages were taken on the CPU that had sent them, and how many on another CPU, if it is known.
    fn cpu_counts(&self) -> Option<(u64, u64)> {
        None
    }
}

/// Runs ping, and reports on the standard output.
pub fn ping(arguments: &Arguments, version: &str, transport: &mut dyn PingTransport) -> Result<(), String> {
    let mut data: Vec<u8> = (0..arguments.size).map(pattern).collect();
    let mut run = Run::default();
    let mut started = Usage::now();
    let mut pace = Pace::new(arguments.period_us);
    for sequence in 0..arguments.warmup + arguments.iterations {
        if sequence == arguments.warmup {
            run = Run::default();
            transport.start();
            started = Usage::now();
        }
        if sequence > arguments.warmup && started.wall.elapsed().as_secs() >= arguments.seconds {
            break;
        }
        pace.wait();
        run.round(sequence, &mut data, transport)?;
    }
    let used = started.elapsed(run.compared);
    let feedback = transport.feedback();
    stamp(&mut data, END);
    for _ in 0..3 {
        transport.send(&data)?;
    }
    run.write(&arguments.out)?;
    let cpus = transport
        .cpu_counts()
        .map_or(String::new(), |(same, other)| format!(" same_cpu={same} other_cpu={other}"));
    let feedback = feedback.map_or(String::new(), |count| format!(" feedback={count}"));
    let (n, lost) = (run.n, run.lost);
    println!("n={n} lost={lost} {used}{cpus}{feedback} version={version}");
    Ok(())
}

/// The times at which round trips start, one per period.
///
/// Times that have passed already are skipped: after a late round trip, the next ones do not start faster.
#[derive(Debug)]
struct Pace {
    period: Duration,
    due: Option<Instant>,
}

impl Pace {
    fn new(period_us: u64) -> Self {
        Self { period: Duration::from_micros(period_us), due: None }
    }

    /// Sleeps until the next time. With a period of 0, returns at once.
    fn wait(&mut self) {
        if self.period.is_zero() {
            return;
        }
        let now = Instant::now();
        let mut due = self.due.map_or(now, |due| due + self.period);
        while due < now {
            due += self.period;
        }
        self.due = Some(due);
        std::thread::sleep(due - now);
    }
}

/// Writes a sequence number to both ends of a message.
#[inline]
pub fn stamp(data: &mut [u8], sequence: u64) {
    let end = data.len() - 8;
    data[..8].copy_from_slice(&sequence.to_le_bytes());
    data[end..].copy_from_slice(&sequence.to_le_bytes());
}

#[derive(Debug, Default)]
struct Run {
    n: u64,
    lost: u64,
    /// The time that the comparisons of complete messages took.
    compared: Duration,
    nanos: Vec<u32>,
}

impl Run {
    fn round(
        &mut self,
        sequence: u64,
        data: &mut [u8],
        transport: &mut dyn PingTransport,
    ) -> Result<(), String> {
        let whole = sequence.is_multiple_of(WHOLE_EVERY) && transport.carries_content();
        let start = Instant::now();
        stamp(data, sequence);
        let Some(reply) = transport.round_trip(data, whole, REPLY)? else {
            self.lost += 1;
            return Ok(());
        };
        if (reply.len, reply.first, reply.last, reply.intact) != (data.len(), sequence, sequence, true) {
            return Err(format!("message {sequence} of {} bytes came back as {reply:?}", data.len()));
        }
        let took = reply.at - start;
        self.n += 1;
        self.compared += reply.compared;
        self.nanos.push(u32::try_from(took.as_nanos()).unwrap_or(u32::MAX));
        Ok(())
    }

    fn write(&self, path: &str) -> Result<(), String> {
        let bytes: Vec<u8> = self.nanos.iter().flat_map(|nanos| nanos.to_le_bytes()).collect();
        let mut file = fs::File::create(path).map_err(|e| format!("{path}: {e}"))?;
        file.write_all(&bytes).map_err(|e| format!("{path}: {e}"))
    }
}

/// The record of pong about messages. It also detects the end of the exchange.
#[derive(Debug, Default)]
pub struct Echoes {
    warmup: u64,
    started: Option<Usage>,
}

impl Echoes {
    /// Creates a record that counts from the first message after the warm-up.
    pub fn new(arguments: &Arguments) -> Self {
        Self { warmup: arguments.warmup, started: None }
    }

    /// Records a message. Returns `false` if it is the last message, which is not sent back.
    pub fn note(&mut self, data: &[u8]) -> bool {
        let sequence = stamp_at(data, 0);
        if self.started.is_none() && sequence >= self.warmup {
            self.started = Some(Usage::now());
        }
        sequence != END
    }

    /// Prints the report on the standard output.
    pub fn report(&self) {
        let used = self.started.as_ref().map_or_else(String::new, |started| started.elapsed(Duration::ZERO));
        println!("{used}");
    }
}

/// The resources that the process has used so far.
#[derive(Debug)]
pub struct Usage {
    wall: Instant,
    cpu: Duration,
    switches: u64,
}

impl Usage {
    /// Returns the resources that the process has used until now.
    pub fn now() -> Self {
        let cpu = clock_gettime(ClockId::ProcessCPUTime);
        Self {
            wall: Instant::now(),
            cpu: Duration::new(cpu.tv_sec as u64, cpu.tv_nsec as u32),
            switches: context_switches(),
        }
    }

    /// Returns the resources that were used since `self`, without the time `comparing`, in the form that the harness
    /// reads.
    pub fn elapsed(&self, comparing: Duration) -> String {
        let now = Self::now();
        let cpu = (now.cpu - self.cpu).saturating_sub(comparing).as_nanos();
        let wall = (now.wall - self.wall).saturating_sub(comparing).as_nanos();
        format!("wall_ns={wall} cpu_ns={cpu} ctxsw={}", now.switches.saturating_sub(self.switches))
    }
}

/// Returns the number of context switches of all threads of this process.
fn context_switches() -> u64 {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let texts = tasks.filter_map(|task| fs::read_to_string(task.path().join("status")).ok());
    texts
        .map(|text| text.lines().filter(|l| l.contains("ctxt_switches")).filter_map(last_number).sum::<u64>())
        .sum()
}

fn last_number(line: &str) -> Option<u64> {
    line.split_whitespace().last()?.parse().ok()
}
