//! `saltus bench tf`: how fast transforms are looked up while another thread sets them.

use std::{
    hint::black_box,
    num::NonZero,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use saltus::{
    Time,
    executor::Placement,
    tf::{Buffer, StampedTransform, Transform},
    time::monotonic_now,
};

use crate::{error::RunError, interrupt, machine::Machine, report::print, row::percentile};

type Error = Box<dyn std::error::Error>;

/// The frames below the first one.
const DEPTH: usize = 5;
/// The period at which all transforms are set, in nanoseconds.
const PERIOD: u64 = 1_000_000;
/// The length of the histories before anything is measured, in nanoseconds: as long as they get.
const HISTORY: i64 = 10_000_000_000;
/// The number of lookups between two looks at the clock when the rate is measured.
const BATCH: u64 = 1000;

/// The transform that is looked up.
#[derive(Clone, Copy)]
enum Lookup {
    Latest,
    /// 50 ms ago, between two transforms.
    Interpolated,
}

impl Lookup {
    const fn name(self) -> &'static str {
        match self {
            Self::Latest => "latest",
            Self::Interpolated => "interpolated, 50 ms ago",
        }
    }

    /// Returns the time to look up. `last` is that of the last transform, if no other ones are set.
    fn time(self, last: Option<i64>) -> Time {
        match self {
            Self::Latest => Time::default(),
            Self::Interpolated => {
                Time::from_nanos(last.unwrap_or_else(|| monotonic_now() as i64) - 50_000_123)
            }
        }
    }
}

/// Prints the rate and the duration of lookups over a chain of frames, without and with a writer at 1 kHz.
pub(crate) fn run_transforms(seconds: u64, runs: usize) -> Result<(), RunError> {
    interrupt::install_handler()?;
    print(&format!("{}\n\n", Machine::describe().one_line()))?;
    let measured =
        tables(seconds as f64, runs).map_err(|error| RunError::Failed("tf".into(), error.to_string()));
    interrupt::check().and(measured)
}

fn tables(seconds: f64, runs: usize) -> Result<(), Error> {
    print(&format!(
        "tf: lookups over {DEPTH} frames with histories of 10 s at 1 kHz, on CPU 0; a writer at 1 kHz on CPU 1 sets all of them; \
         {runs} runs of {seconds} s, medians\n\n\
         | lookup | writer | lookups/s | p50 µs | p99 µs | p99.9 µs | max µs |\n|---|---|---|---|---|---|---|\n"
    ))?;
    for lookup in [Lookup::Latest, Lookup::Interpolated] {
        for with_writer in [false, true] {
            let mut columns: [Vec<f64>; 5] = Default::default();
            for _ in 0..runs {
                interrupt::check()?;
                let values = measure(lookup, with_writer, seconds)?;
                columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
            }
            let [rate, p50, p99, p999, max] = columns.map(median);
            let writer = if with_writer { "1 kHz" } else { "-" };
            print(&format!(
                "| {} | {writer} | {rate:.0} | {p50:.2} | {p99:.2} | {p999:.2} | {max:.1} |\n",
                lookup.name()
            ))?;
        }
    }
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn frame(number: usize) -> String {
    format!("frame{number}")
}

/// Sets the transforms of all frames at a time.
fn set(buffer: &Buffer, names: &[String], nanos: i64) -> Result<(), Error> {
    let angle = nanos as f64 / 1e9;
    for pair in names.windows(2) {
        let transform = Transform::from_xyz_rpy([angle, 1.0, 2.0], [0.1, 0.2, angle]);
        let stamped = StampedTransform::new(&pair[0], &pair[1], Time::from_nanos(nanos), transform);
        buffer.set(&stamped, "bench")?;
    }
    Ok(())
}

/// Returns the rate of lookups, and percentiles of their durations in microseconds.
fn measure(lookup: Lookup, with_writer: bool, seconds: f64) -> Result<[f64; 5], Error> {
    let (buffer, is_over) =
        (Buffer::new(Duration::from_nanos(HISTORY.unsigned_abs())), AtomicBool::new(false));
    let names: Vec<String> = (0..=DEPTH).map(frame).collect();
    let now = monotonic_now() as i64;
    for nanos in (now - HISTORY..=now).step_by(PERIOD as usize) {
        set(&buffer, &names, nanos)?;
    }
    let cpus = thread::available_parallelism().map_or(1, NonZero::get);
    let (buffer_of_reader, names_of_reader) = (&buffer, &*names);
    thread::scope(|scope| {
        let writer = with_writer.then(|| scope.spawn(|| write(&buffer, &names, &is_over, 1 % cpus)));
        let last = (!with_writer).then_some(now);
        let reader =
            scope.spawn(move || read(buffer_of_reader, names_of_reader, || lookup.time(last), seconds));
        let result = reader.join().unwrap_or_else(|_| Err("a thread panicked".into()));
        is_over.store(true, Ordering::Relaxed);
        // Without its writer, a measurement does not count.
        let written =
            writer.map_or(Ok(()), |writer| writer.join().unwrap_or_else(|_| Err("a thread panicked".into())));
        written.and(result).map_err(Into::into)
    })
}

fn pin(cpu: usize) -> Result<(), String> {
    Placement { cpus: vec![cpu], ..Placement::default() }.apply().map_err(|error| error.to_string())
}

fn write(buffer: &Buffer, names: &[String], is_over: &AtomicBool, cpu: usize) -> Result<(), String> {
    pin(cpu)?;
    let mut next = monotonic_now();
    while !is_over.load(Ordering::Relaxed) {
        set(buffer, names, monotonic_now() as i64).map_err(|error| error.to_string())?;
        next += PERIOD;
        thread::sleep(Duration::from_nanos(next.saturating_sub(monotonic_now())));
    }
    Ok(())
}

fn read(
    buffer: &Buffer,
    names: &[String],
    time: impl Fn() -> Time,
    seconds: f64,
) -> Result<[f64; 5], String> {
    pin(0)?;
    let (target, source) = (&*names[0], &*names[DEPTH]);
    let once = || {
        let found = buffer.lookup(target, source, time()).map_err(|error| error.to_string())?;
        black_box(found);
        Ok::<(), String>(())
    };
    let half = (seconds * 5e8) as u64;
    let (begin, mut count) = (monotonic_now(), 0);
    while monotonic_now() - begin < half {
        (0..BATCH).try_for_each(|_| once())?;
        count += BATCH;
    }
    let rate = count as f64 / ((monotonic_now() - begin) as f64 / 1e9);
    let (begin, mut times) = (monotonic_now(), Vec::new());
    let mut before = begin;
    while before - begin < half {
        once()?;
        let now = monotonic_now();
        times.push(u32::try_from(now - before).unwrap_or(u32::MAX));
        before = now;
    }
    times.sort_unstable();
    let [p50, p99, p999, max] = [0.5, 0.99, 0.999, 1.0].map(|share| percentile(&times, share));
    Ok([rate, p50, p99, p999, max])
}
