//! A test whether memory stays constant while services are called for a long time: one server, several clients.

use std::time::Duration;

use saltus::{
    Context,
    context::ContextOptions,
    graph::Report,
    msgs::saltus_bench_msgs::srv::{Echo, Echo_Request, Echo_Response},
    time::monotonic_now,
};

use crate::{
    error::RunError,
    interrupt,
    machine::Machine,
    process::{Folder, Process, print_line, pss, shut_down_at_end_of_stdin},
    report::print,
};

type Error = Box<dyn std::error::Error>;

/// The number of client processes.
const CLIENTS: u64 = 4;
/// The size of the data in a request and in a response, in bytes.
const SIZE: usize = 64;
/// The number of times that memory is measured.
const SAMPLES: u64 = 20;
/// The longest time to wait for the server, and for each response.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);

/// Prints memory, descriptors and failures while 4 clients together call a service `rate` times per second.
pub(crate) fn run_soak(rate: u64, seconds: u64) -> Result<(), RunError> {
    interrupt::install_handler()?;
    print(&format!("{}\n", Machine::describe().one_line()))?;
    let folder = Folder::new()?;
    let measured = measure(&folder, rate, seconds);
    interrupt::check().and(measured)
}

/// The resources that the processes use at one moment.
struct Sample {
    pss_kb: u64,
    shm_kb: u64,
    fds: usize,
}

fn measure(folder: &Folder, rate: u64, seconds: u64) -> Result<(), RunError> {
    let start = |role: &str, words: &[String]| Process::start_in(role, words, folder.path());
    let server = start("soak-server", &[])?;
    let each = (rate / CLIENTS).max(1).to_string();
    let clients: Vec<Process> =
        (0..CLIENTS).map(|_| start("soak-client", std::slice::from_ref(&each))).collect::<Result<_, _>>()?;
    let pids: Vec<u32> = [&server].into_iter().chain(&clients).map(Process::id).collect();
    let begin = monotonic_now();
    let mut samples = Vec::new();
    for i in 1..=SAMPLES {
        interrupt::sleep_until(begin + seconds * 1_000_000_000 * i / SAMPLES)?;
        let sample = Sample::take(&pids, folder)?;
        let passed = seconds * i / SAMPLES;
        let Sample { pss_kb, shm_kb, fds } = sample;
        print(&format!(
            "{passed:>5} s: {pss_kb:>7} KB PSS, {shm_kb:>6} KB shared memory, {fds} descriptors\n"
        ))?;
        samples.push(sample);
    }
    let mut total = (0, 0);
    for mut client in clients {
        let line = client.close_and_read();
        let (calls, failed) = line.split_once(' ').unwrap_or_default();
        total.0 += calls.parse::<u64>().unwrap_or(0);
        total.1 += failed.parse::<u64>().unwrap_or(u64::MAX / 8);
        client.end()?;
    }
    server.end()?;
    let (first, last) = (&samples[0], &samples[samples.len() - 1]);
    print(&format!(
        "{} calls of {SIZE} B in {seconds} s ({:.0} per second), {} failed; from {} s to the end: {:+} KB PSS, {:+} KB shared memory, {:+} descriptors\n",
        total.0,
        total.0 as f64 / seconds.max(1) as f64,
        total.1,
        seconds / SAMPLES,
        last.pss_kb as i64 - first.pss_kb as i64,
        last.shm_kb as i64 - first.shm_kb as i64,
        last.fds as i64 - first.fds as i64
    ))
}

impl Sample {
    fn take(pids: &[u32], folder: &Folder) -> Result<Self, RunError> {
        let mut sample = Self { pss_kb: 0, shm_kb: 0, fds: 0 };
        for pid in pids {
            sample.pss_kb += pss(*pid)?;
            sample.fds += std::fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count);
        }
        let fails = |e: &dyn std::fmt::Display| RunError::Failed("soak".into(), e.to_string());
        let domain = ContextOptions::default().folder(folder.path()).domain_id().map_err(|e| fails(&e))?;
        let report = Report::observe(domain).map_err(|e| fails(&e))?;
        sample.shm_kb = report.processes.iter().map(|process| process.memory / 1024).sum();
        Ok(sample)
    }
}

/// Runs a process of this measurement.
pub(crate) fn run_role(name: &str, words: &[String]) -> Result<(), Error> {
    match (name, words) {
        ("soak-server", []) => server(),
        ("soak-client", [rate]) => client(rate.parse()?),
        _ => Err(format!("no such role: {name} {words:?}").into()),
    }
}

fn server() -> Result<(), Error> {
    let context = Context::new()?;
    shut_down_at_end_of_stdin(&context);
    let node = context.node("server").create()?;
    let _server = node.service::<Echo>("soak").callback(|request| Echo_Response { data: request.data })?;
    print_line("ready")?;
    Ok(saltus::spin(&node)?)
}

/// Calls the service at a rate. At the end, prints how many calls succeeded and how many failed.
fn client(rate: u64) -> Result<(), Error> {
    let context = Context::new()?;
    shut_down_at_end_of_stdin(&context);
    let node = context.node(&format!("client_{}", std::process::id())).create()?;
    let client = node.client::<Echo>("soak").create()?;
    if !client.wait_for_service(CALL_TIMEOUT) {
        return Err("no server was found within 5 s".into());
    }
    print_line("ready")?;
    let (begin, mut calls, mut failed) = (monotonic_now(), 0u64, 0u64);
    while !context.is_shut_down() {
        let data = calls.to_le_bytes().repeat(SIZE / 8);
        let request = Echo_Request { data };
        let answer = client.call(&request, CALL_TIMEOUT);
        let is_right = answer.is_ok_and(|response| response.data == request.data);
        failed += u64::from(!is_right && !context.is_shut_down());
        calls += u64::from(is_right);
        let due = begin + calls * 1_000_000_000 / rate;
        let now = monotonic_now();
        if due > now {
            std::thread::sleep(Duration::from_nanos(due - now));
        }
    }
    print_line(&format!("{calls} {failed}"))
}
