//! Streams of messages in one direction, at given rates, and what of them arrives.
//!
//! Each message begins with its number and the time at which it was sent, on the monotonic clock that all processes of a
//! machine share.

use std::{
    str::FromStr,
    time::{Duration, Instant},
};

use rustix::time::{ClockId, clock_gettime};

use crate::{pattern, stamp_at};

/// A stream of messages.
///
/// ```
/// # use saltus_bench_pingpong::Stream;
/// let stream: Stream = "camera:300000:10:best-effort".parse()?;
/// assert!(stream.is_best_effort && stream.size == 300_000);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    /// The name of its topic.
    pub name: String,
    /// The size of the data of a message in bytes, at least 16.
    pub size: usize,
    /// The number of messages per second.
    pub hz: f64,
    /// Whether messages are sent with best effort.
    pub is_best_effort: bool,
}

impl FromStr for Stream {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected NAME:SIZE:HZ:reliable or NAME:SIZE:HZ:best-effort, found `{text}`");
        let parts: Vec<&str> = text.split(':').collect();
        let [name, size, hz, reliability] = parts[..] else { return Err(wrong()) };
        let is_best_effort = match reliability {
            "reliable" => false,
            "best-effort" => true,
            _ => return Err(wrong()),
        };
        let size = size.parse().map_err(|_| wrong()).map(|size: usize| size.max(16))?;
        let hz = hz.parse().ok().filter(|hz| *hz > 0.0).ok_or_else(wrong)?;
        Ok(Self { name: name.to_owned(), size, hz, is_best_effort })
    }
}

impl std::fmt::Display for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let reliability = if self.is_best_effort { "best-effort" } else { "reliable" };
        write!(f, "{}:{}:{}:{reliability}", self.name, self.size, self.hz)
    }
}

fn monotonic_nanos() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Sends messages of all streams at their rates, for a time. `send` gets the number of a stream and the data. Messages that are
/// late are not sent faster afterwards. Returns how many were sent of each stream.
///
/// # Errors
/// Returns the error of `send`.
pub fn send_streams<E>(
    streams: &[Stream],
    time: Duration,
    mut send: impl FnMut(usize, &[u8]) -> Result<(), E>,
) -> Result<Vec<u64>, E> {
    let begin = Instant::now();
    let mut data: Vec<Vec<u8>> =
        streams.iter().map(|stream| (0..stream.size).map(pattern).collect()).collect();
    // The streams do not send at the same instant.
    let count = streams.len() as f64;
    let mut due: Vec<Instant> = streams
        .iter()
        .enumerate()
        .map(|(number, stream)| begin + Duration::from_secs_f64(number as f64 / count / stream.hz))
        .collect();
    let mut sent = vec![0; streams.len()];
    while let Some((next, at)) = due.iter().copied().enumerate().min_by_key(|(_, at)| *at) {
        if at - begin >= time {
            break;
        }
        // The rate of the stream.
        std::thread::sleep(at.saturating_duration_since(Instant::now()));
        let message = &mut data[next];
        message[..8].copy_from_slice(&u64::to_le_bytes(sent[next]));
        message[8..16].copy_from_slice(&monotonic_nanos().to_le_bytes());
        send(next, message)?;
        sent[next] += 1;
        let period = Duration::from_secs_f64(streams[next].hz.recip());
        due[next] = (at + period).max(Instant::now().checked_sub(period).unwrap_or(at));
    }
    Ok(sent)
}

/// What has arrived of a stream.
#[derive(Debug, Default)]
pub struct Arrivals {
    received: u64,
    /// The number of the next message.
    next: u64,
    lost: u64,
    latencies: Vec<u64>,
    last: u64,
    longest_gap: u64,
}

impl Arrivals {
    /// Notes a message.
    pub fn note(&mut self, data: &[u8]) {
        let (number, sent) = (stamp_at(data, 0), stamp_at(data, 8));
        let now = monotonic_nanos();
        self.received += 1;
        self.lost += number.saturating_sub(self.next);
        self.next = number + 1;
        self.latencies.push(now.saturating_sub(sent));
        if self.last > 0 {
            self.longest_gap = self.longest_gap.max(now - self.last);
        }
        self.last = now;
    }

    /// Returns what has arrived, as `name=value` pairs: times in microseconds, from the sending of a message to its arrival. The
    /// gap is the longest time between two messages.
    pub fn report(&mut self, name: &str) -> String {
        self.latencies.sort_unstable();
        let micros = |share: f64| {
            let last = self.latencies.len().saturating_sub(1);
            self.latencies.get((last as f64 * share).round() as usize).map_or(0, |nanos| nanos / 1000)
        };
        format!(
            "stream={name} received={} lost={} p50_us={} p90_us={} p99_us={} max_us={} gap_us={}",
            self.received,
            self.lost,
            micros(0.5),
            micros(0.9),
            micros(0.99),
            micros(1.0),
            self.longest_gap / 1000
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_sent_at_their_rates_and_what_is_missing_is_counted() {
        let streams: Vec<Stream> =
            ["a:16:100:reliable", "b:64:50:best-effort"].iter().map(|text| text.parse().unwrap()).collect();
        assert_eq!(streams[0].to_string(), "a:16:100:reliable");
        let mut arrivals = [Arrivals::default(), Arrivals::default()];
        let mut count = 0;
        let sent = send_streams(&streams, Duration::from_millis(200), |stream, data| {
            count += 1;
            if count % 5 != 0 {
                arrivals[stream].note(data);
            }
            Ok::<(), ()>(())
        });
        assert!(sent.unwrap().iter().zip([20, 10]).all(|(sent, expected)| *sent <= expected));
        let [first, second] = &arrivals;
        assert!(first.lost + second.lost > 0);
    }

    #[test]
    fn a_text_that_is_no_stream_is_an_error() {
        for text in ["", "a", "a:1:2", "a:x:2:reliable", "a:1:0:reliable", "a:1:2:maybe", "a:1:-2:reliable"] {
            assert!(text.parse::<Stream>().is_err(), "{text}");
        }
    }
}
