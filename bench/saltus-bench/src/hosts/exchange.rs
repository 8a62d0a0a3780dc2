//! Round trips between two hosts.

use std::{fmt::Write, fs, thread, time::Duration};

use saltus_bench_network::LinkOptions;
use saltus_bench_pingpong::pin;

use super::{
    options::HostsOptions,
    scene::{Hosts, Program},
};
use crate::{
    child::number,
    interrupt,
    process::Folder,
    row::{Key, Recorded, Row},
};

type Error = Box<dyn std::error::Error>;

/// The rows: Saltus over two bridges, and zenoh alone, as it is and with each message on its own.
const ROWS: [(&str, &str); 3] = [("saltus", "in-place/block"), ("zenoh", "default"), ("zenoh", "express")];
/// The wake-ups that are measured.
const WAKE_UPS: u32 = 20_000;

/// Measures all rows over links, and returns a table.
pub(super) fn measure(options: &HostsOptions, links: &[LinkOptions]) -> Result<String, Error> {
    let mut table = String::new();
    // Over a link with losses or a delay, the CPUs make no difference.
    let placements: &[Option<usize>] = if links.len() == 1 { &[Some(0), None] } else { &[None] };
    for link in links {
        for cpu in placements {
            let mut rows: Vec<Vec<Vec<Row>>> = vec![vec![Vec::new(); ROWS.len()]; options.sizes.len()];
            for run in 0..options.runs as usize {
                for (index, size) in options.sizes.iter().enumerate() {
                    // Each run begins with another row.
                    for row in (0..ROWS.len()).map(|row| (row + run) % ROWS.len()) {
                        interrupt::check()?;
                        rows[index][row].push(exchange(options, link, *cpu, ROWS[row], *size)?);
                    }
                }
            }
            write_table(&mut table, options, link, *cpu, &rows)?;
        }
    }
    if placements.len() > 1 {
        let wake_up = wake_up()?.as_secs_f64() * 1e6;
        writeln!(
            table,
            "\nA wake-up of a thread by another one on the same CPU, with futexes alone: {wake_up:.1} µs"
        )?;
    }
    Ok(table)
}

fn write_table(
    table: &mut String,
    options: &HostsOptions,
    link: &LinkOptions,
    cpu: Option<usize>,
    rows: &[Vec<Vec<Row>>],
) -> Result<(), Error> {
    let place = cpu.map_or("any CPU".to_owned(), |cpu| format!("all on CPU {cpu}"));
    let (loss, delay) = (link.loss_percent, link.delay.as_millis());
    writeln!(
        table,
        "\nround trips, {place}, {loss} % of packets lost, {delay} ms delay, medians of {} runs\n",
        options.runs
    )?;
    writeln!(table, "| row | mode | size | mean µs | p50 | p90 | p99 | max | lost | messages/s | CPU µs |")?;
    writeln!(table, "|---|---|---|---|---|---|---|---|---|---|---|")?;
    for row in rows.iter().flatten().filter_map(|runs| Row::median(runs)) {
        let Row { peer, mode, size, mean_us, p50_us, p90_us, p99_us, max_us, lost, msg_s, .. } = row;
        let cpu = row.cpu_us_per_msg.unwrap_or(f64::NAN);
        writeln!(
            table,
            "| {peer} | {mode} | {size} | {mean_us:.1} | {p50_us:.1} | {p90_us:.1} | {p99_us:.1} | {max_us:.1} | {lost} | \
             {msg_s:.0} | {cpu:.1} |"
        )?;
    }
    Ok(())
}

/// Runs ping on the first host and pong on the second.
fn exchange(
    options: &HostsOptions,
    link: &LinkOptions,
    cpu: Option<usize>,
    (peer, mode): (&str, &str),
    size: usize,
) -> Result<Row, Error> {
    let mut hosts = Hosts::new(link, cpu)?;
    let is_bridged = peer == "saltus";
    if is_bridged {
        hosts.start_bridges("")?;
    }
    let out = Folder::on_disk()?;
    let nanos = out.path().join("nanos");
    // Large messages take longer, so there are fewer.
    let iterations = (options.iterations * 4096 / size.max(4096) as u64).max(50);
    let warmup = iterations / 10;
    let start = |role: &str, host: usize| {
        let mut command = if is_bridged { hosts.role(host)? } else { hosts.bare_zenoh(host)? };
        command.arg(role).args(["--mode", mode, "--size", &size.to_string()]);
        command.args(["--iterations", &iterations.to_string(), "--warmup", &warmup.to_string()]);
        command.args(["--cpu", "-1", "--tag", "bridge", "--seconds", &options.seconds.to_string()]);
        command.args(["--period-us", "0"]).arg("--out").arg(&nanos);
        Program::start(command)
    };
    let mut pong = start("pong", 1)?;
    let mut ping = start("ping", 0)?;
    let before = hosts.cpu_of_bridges()?;
    let ping_line = ping.line()?;
    if ping_line.is_empty() {
        return Err(format!("{peer} {mode}, {size} bytes: ping has ended without a result").into());
    }
    let pong_line = pong.line()?;
    let of_bridges = hosts.cpu_of_bridges()?.saturating_sub(before).as_nanos() as u64;
    let bytes = fs::read(&nanos)?;
    // The bridges do not know which messages are measured. Those before cost as much each.
    let measured = number(&ping_line, "n")? + number(&ping_line, "lost")?;
    let of_bridges = of_bridges * measured / (measured + warmup).max(1);
    let recorded = Recorded {
        nanos: bytes.as_chunks::<4>().0.iter().map(|nanos| u32::from_le_bytes(*nanos)).collect(),
        lost: number(&ping_line, "lost")?,
        wall_ns: number(&ping_line, "wall_ns")?,
        cpu_ns: Some(number(&ping_line, "cpu_ns")? + number(&pong_line, "cpu_ns")? + of_bridges),
        carried: true,
        ..Recorded::default()
    };
    let word = str::to_owned;
    let key = Key {
        scenario: word("bridge"),
        peer: word(peer),
        mode: word(mode),
        data: word(""),
        wait: word("block"),
        pin: word(""),
        pace: word(""),
        size,
    };
    Ok(Row::new(&key, &recorded))
}

/// Returns how long it takes until a thread runs that another one has woken, on the same CPU.
fn wake_up() -> Result<Duration, Error> {
    let measure = move || {
        pin(0)?;
        let main = thread::current();
        // It begins after it was woken first.
        let other = thread::spawn(move || {
            for _ in 0..WAKE_UPS {
                thread::park();
                main.unpark();
            }
        });
        let begin = std::time::Instant::now();
        for _ in 0..WAKE_UPS {
            other.thread().unpark();
            thread::park();
        }
        let took = begin.elapsed() / (2 * WAKE_UPS);
        other.join().map_err(|_| "the other thread has panicked".to_owned())?;
        Ok::<Duration, String>(took)
    };
    Ok(thread::spawn(measure).join().map_err(|_| "a thread has panicked")??)
}
