//! Streams of messages from one host to the other.

use std::{fmt::Write, thread, time::Duration};

use saltus::qos::Losses;
use saltus_bench_network::LinkOptions;
use saltus_bench_pingpong::Stream;

use super::{
    options::HostsOptions,
    roles::read_losses,
    scene::{Hosts, Program},
};
use crate::{child::number, interrupt};

type Error = Box<dyn std::error::Error>;

/// How long messages may be on their way after the last one was sent.
const ON_THE_WAY: Duration = Duration::from_secs(3);
/// How long a link stalls.
const STALL: Duration = Duration::from_secs(3);
/// The rate of a slow link, and of one that stalls, in kbit/s.
const SLOW: u32 = 10_000;
const STALLED: u32 = 1;
/// What the kernel hands to a tuned link at once, and what a bridge does.
const HANDED: u32 = 8192;
const SMALL_BATCHES: &str =
    "transport/link/tx/batch_size=8192;transport/link/tx/queue/size/interactive_low=2";
/// How often the memory is looked at in a long measurement.
const LOOKS: u32 = 15;

/// What has arrived of a stream.
struct Arrived {
    name: String,
    sent: u64,
    received: u64,
    /// What the publisher counts as lost. The subscription counts that, too, if the bridge's subscription has lost it.
    counted_by_publisher: Option<Losses>,
    /// What the subscription counts as lost. Plain zenoh counts nothing.
    counted: Option<Losses>,
    micros: [u64; 5],
}

/// Passes streams from one host to the other. `meanwhile` is called when the first message is sent.
fn pass(
    hosts: &Hosts,
    is_bridged: bool,
    streams: &[Stream],
    seconds: u64,
    meanwhile: impl FnOnce(&Hosts) -> Result<(), Error>,
) -> Result<Vec<Arrived>, Error> {
    let command = |host| {
        let mut command = if is_bridged { hosts.role(host)? } else { hosts.bare_zenoh(host)? };
        command.args(is_bridged.then_some("stream"));
        Ok::<_, Error>(command)
    };
    let specs: Vec<String> = streams.iter().map(ToString::to_string).collect();
    let (mut receive, mut send) = (command(1)?, command(0)?);
    receive.arg("receive").args(&specs);
    send.arg("send").arg(seconds.to_string()).args(&specs);
    // Zenoh alone listens on the first host, so that starts first.
    let mut sender = Program::start(send)?;
    let receiver = Program::start_ready(receive)?;
    if sender.line()? != "ready" {
        return Err("the sender has ended".into());
    }
    meanwhile(hosts)?;
    let sent: Vec<String> = streams.iter().map(|_| sender.line()).collect::<Result<_, _>>()?;
    // What comes later counts as lost. Nothing tells that a message was lost on its way.
    thread::sleep(ON_THE_WAY);
    let received = receiver.end()?;
    let arrived = |((stream, sent), received): ((&Stream, &String), &String)| {
        let micros = ["p50_us", "p90_us", "p99_us", "max_us", "gap_us"];
        let micros: Vec<u64> = micros.iter().map(|name| number(received, name)).collect::<Result<_, _>>()?;
        Ok(Arrived {
            name: stream.name.clone(),
            sent: number(sent, "sent")?,
            received: number(received, "received")?,
            counted_by_publisher: read_losses(sent),
            counted: read_losses(received),
            micros: micros.try_into().unwrap_or_default(),
        })
    };
    streams.iter().zip(&sent).zip(&received).map(arrived).collect()
}

/// Adds counts of losses. Returns `None` if there is none.
fn sum_of_losses(all: impl IntoIterator<Item = Option<Losses>>) -> Option<Losses> {
    all.into_iter().flatten().reduce(|mut sum, losses| {
        sum.add_all(&losses);
        sum
    })
}

fn head(table: &mut String) -> Result<(), Error> {
    writeln!(
        table,
        "| row | stream | sent | received | counted as lost | p50 ms | p90 | p99 | max | longest gap |"
    )?;
    Ok(writeln!(table, "|---|---|---|---|---|---|---|---|---|---|")?)
}

fn write_row(table: &mut String, row: &str, arrived: &Arrived) -> Result<(), Error> {
    let Arrived { name, sent, received, counted, micros, .. } = arrived;
    let counted = counted.map_or("-".into(), |losses| losses.to_string());
    let millis: Vec<String> = micros.iter().map(|micros| format!("{:.1}", *micros as f64 / 1e3)).collect();
    Ok(writeln!(table, "| {row} | {name} | {sent} | {received} | {counted} | {} |", millis.join(" | "))?)
}

fn stream(name: &str, size: usize, hz: f64, is_best_effort: bool) -> Stream {
    Stream { name: name.into(), size, hz, is_best_effort }
}

/// Passes commands beside cameras, which offer ten times what the link takes.
pub(super) fn measure_slow(options: &HostsOptions) -> Result<String, Error> {
    // 4 cameras with 310 KB at 10 Hz are 99 Mbit/s.
    let mut streams = vec![stream("cmd_vel", 64, 50.0, false)];
    streams.extend((0..4).map(|number| stream(&format!("camera_{number}"), 310_000, 10.0, number % 2 == 0)));
    let mut table = String::new();
    for (is_tuned, stalls) in [(false, false), (true, false), (true, true)] {
        let how = if stalls { ", which stalls for 3 s" } else { "" };
        let tuned = if is_tuned { ", tuned" } else { "" };
        let seconds = options.seconds;
        writeln!(
            table,
            "\na link of 10 Mbit/s{tuned}{how}, for {seconds} s; cameras 0 and 2 with best effort\n"
        )?;
        head(&mut table)?;
        let handed = is_tuned.then_some(HANDED);
        for is_bridged in [true, false] {
            interrupt::check()?;
            // The default of Linux. Another one, BBR, empties the link for 200 ms every 10 s.
            let congestion_control = Some("cubic");
            let link = LinkOptions { rate: Some(SLOW), handed, congestion_control, ..LinkOptions::default() };
            let mut hosts = Hosts::new(&link, None)?;
            if is_bridged {
                hosts.start_bridges(if is_tuned { SMALL_BATCHES } else { "" })?;
            }
            let stall = |hosts: &Hosts| {
                if stalls {
                    // The link works for a third of the time, and then stalls.
                    thread::sleep(Duration::from_secs(options.seconds / 3));
                    hosts.limit(STALLED)?;
                    thread::sleep(STALL);
                    hosts.limit(SLOW)?;
                }
                Ok(())
            };
            let row = if is_bridged { "saltus" } else { "zenoh" };
            for arrived in pass(&hosts, is_bridged, &streams, options.seconds, stall)? {
                write_row(&mut table, row, &arrived)?;
            }
        }
    }
    Ok(table)
}

/// Passes messages on 1, 10 and 100 topics.
pub(super) fn measure_topics(options: &HostsOptions) -> Result<String, Error> {
    let mut table = String::new();
    writeln!(table, "\nmessages in one direction, for {} s, on any CPU\n", options.seconds)?;
    writeln!(
        table,
        "| row | topics | size | sent | received | p50 ms | p99 | max | CPU µs of both bridges |"
    )?;
    writeln!(table, "|---|---|---|---|---|---|---|---|---|")?;
    for (size, rate) in [(1000, 5000.0), (1 << 20, 100.0)] {
        for topics in [1, 10, 100] {
            for is_bridged in [true, false] {
                interrupt::check()?;
                let mut hosts = Hosts::new(&LinkOptions::default(), None)?;
                if is_bridged {
                    hosts.start_bridges("")?;
                }
                let streams: Vec<Stream> = (0..topics)
                    .map(|topic| stream(&format!("topic_{topic}"), size, rate / f64::from(topics), false))
                    .collect();
                let before = hosts.cpu_of_bridges()?;
                let all = pass(&hosts, is_bridged, &streams, options.seconds, |_| Ok(()))?;
                let cpu = hosts.cpu_of_bridges()? - before;
                let sum = |what: fn(&Arrived) -> u64| all.iter().map(what).sum::<u64>();
                let (sent, received) = (sum(|one| one.sent), sum(|one| one.received));
                let worst = |index: usize| {
                    all.iter().map(|one| one.micros[index]).max().unwrap_or_default() as f64 / 1e3
                };
                let (p50, p99, max) = (worst(0), worst(2), worst(3));
                let cpu = cpu.as_secs_f64() * 1e6 / received.max(1) as f64;
                let cpu = if is_bridged { format!("{cpu:.1}") } else { "-".into() };
                let row = if is_bridged { "saltus" } else { "zenoh" };
                writeln!(
                    table,
                    "| {row} | {topics} | {size} | {sent} | {received} | {p50:.2} | {p99:.2} | {max:.2} | {cpu} |"
                )?;
            }
        }
    }
    Ok(table)
}

/// Passes 200 topics at 50 Hz, and looks at the memory of the bridges.
pub(super) fn soak(options: &HostsOptions) -> Result<String, Error> {
    let streams: Vec<Stream> =
        (0..200).map(|topic| stream(&format!("topic_{topic}"), 1000, 50.0, false)).collect();
    let mut hosts = Hosts::new(&LinkOptions::default(), None)?;
    hosts.start_bridges("")?;
    let mut table = format!("\n200 topics of 1 KB at 50 Hz for {} s\n\n", options.seconds);
    writeln!(table, "| s | PSS of the first bridge, MB | of the second | CPU of both |\n|---|---|---|---|")?;
    let mut looks = String::new();
    let look = |hosts: &Hosts| {
        let pause = Duration::from_secs(options.seconds) / LOOKS;
        let mut before = hosts.cpu_of_bridges()?;
        for number in 1..LOOKS {
            // The memory is looked at in this period.
            thread::sleep(pause);
            interrupt::check()?;
            let pss: Vec<f64> = hosts
                .bridges
                .iter()
                .map(|bridge| Ok(bridge.used()?.pss as f64 / 1024.0))
                .collect::<Result<_, Error>>()?;
            let cpu = hosts.cpu_of_bridges()?;
            let percent = (cpu - before).as_secs_f64() / pause.as_secs_f64() * 100.0;
            before = cpu;
            let seconds = (pause * number).as_secs();
            writeln!(looks, "| {seconds} | {:.1} | {:.1} | {percent:.0} % |", pss[0], pss[1])?;
        }
        Ok(())
    };
    let all = pass(&hosts, true, &streams, options.seconds, look)?;
    table.push_str(&looks);
    let sum = |what: fn(&Arrived) -> u64| all.iter().map(what).sum::<u64>();
    let (sent, received) = (sum(|one| one.sent), sum(|one| one.received));
    let p99 = all.iter().map(|one| one.micros[2]).max().unwrap_or_default() as f64 / 1e3;
    let counted = sum_of_losses(all.iter().map(|one| one.counted)).unwrap_or_default();
    let by_publishers = sum_of_losses(all.iter().map(|one| one.counted_by_publisher)).unwrap_or_default();
    let max = all.iter().map(|one| one.micros[3]).max().unwrap_or_default() as f64 / 1e3;
    writeln!(
        table,
        "\nsent {sent}, received {received}, counted as lost {counted}, by publishers {by_publishers}, the worst p99 of a topic {p99:.1} ms, max {max:.1} ms"
    )?;
    Ok(table)
}
