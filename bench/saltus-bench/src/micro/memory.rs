//! The memory and the code of the client on a Cortex-M4 in QEMU, and the instructions of a publication.

use std::{collections::BTreeMap, path::Path, process::Command, time::Duration};

use super::{
    programs::{Program, root, run, value},
    table::{Cell, Table},
};
use crate::{
    error::RunError,
    process::{Folder, Process, saltus_command},
};

const BOARD: &str = "target/micro/mps2-an386";
const FIRMWARE: &str = "target/micro/mps2-an386/memory.elf";
const LONG: Duration = Duration::from_secs(60);

/// A firmware: its entities and its streams.
#[derive(Clone, Copy, Debug)]
struct Case {
    publishers: u32,
    subscriptions: u32,
    services: u32,
    clients: u32,
    mtu: u32,
    history: u32,
}

const NONE: Case = Case { publishers: 0, subscriptions: 0, services: 0, clients: 0, mtu: 512, history: 4 };
const ONE_EACH: Case = Case { publishers: 1, subscriptions: 1, services: 1, ..NONE };

/// The figures of a firmware in bytes.
#[derive(Clone, Debug, Default)]
struct Figures {
    /// The static memory by symbol.
    symbols: BTreeMap<String, u64>,
    /// The code of the client, its messages and the measuring program, without the board.
    code: f64,
    stack: f64,
    best_effort: f64,
    reliable: f64,
    /// The counters of what the firmware has received.
    counts: BTreeMap<String, f64>,
}

impl Figures {
    fn sum(&self, prefix: &str) -> f64 {
        self.symbols.iter().filter(|(name, _)| name.starts_with(prefix)).map(|(_, size)| *size as f64).sum()
    }
}

/// Measures all cases.
pub(super) fn measure() -> Result<Vec<Table>, RunError> {
    run(Command::new("make").args(["--silent", "micro-firmware"]).current_dir(root()?))?;
    let board = text_size(&build("")?)?;
    let mut table = Table::new(
        "Memory on a Cortex-M4, -Os, in bytes. Client: session, configuration, node and entities; streams: both reliable \
         streams; transport: the buffer for a message and the framing; heap: 0, because a firmware that calls malloc does \
         not link. Code: the client, its messages and the measuring program. The stack is used by messages, \
         requests and responses that a node of the host exchanges with the firmware. Instructions of a publication of \
         std_msgs/msg/Int32. Published for micro-ROS: 550 for a publisher, 600 \
         for a subscription, 500 for a service or client, 2,048 for a slot of history",
        &[
            "client",
            "streams",
            "transport",
            "stack",
            "total",
            "code",
            "instructions, best effort",
            "reliable",
        ],
    );
    let mut add = |name: String, case: Case| -> Result<(), RunError> {
        eprintln!("memory, {name}");
        let figures = measure_case(case, board)?;
        let (client, streams, transport) =
            (figures.sum("client_"), figures.sum("stream_"), figures.sum("transport_"));
        let total = client + streams + transport + figures.stack;
        let cells = [
            client,
            streams,
            transport,
            figures.stack,
            total,
            figures.code,
            figures.best_effort,
            figures.reliable,
        ];
        table.row(name, cells.into_iter().map(Cell::whole).collect());
        Ok(())
    };
    add("a publisher, a subscription, a service".into(), ONE_EACH)?;
    add("the same, and a client".into(), Case { clients: 1, ..ONE_EACH })?;
    add("the same without the client, MTU 128, history 2".into(), Case { mtu: 128, history: 2, ..ONE_EACH })?;
    for count in [0, 1, 5, 10] {
        add(format!("{count} publishers"), Case { publishers: count, ..NONE })?;
        add(format!("{count} subscriptions"), Case { subscriptions: count, ..NONE })?;
        add(format!("{count} services"), Case { services: count, ..NONE })?;
        add(format!("{count} clients"), Case { clients: count, ..NONE })?;
    }
    for history in 1..=10 {
        add(format!("1 publisher, history {history}"), Case { publishers: 1, history, ..NONE })?;
    }
    Ok(vec![table])
}

/// Builds the firmware with definitions. Returns its path.
fn build(definitions: &str) -> Result<String, RunError> {
    let root = root()?;
    run(Command::new("cmake")
        .args(["-S", "micro/firmware", "-B", BOARD, &format!("-DMEASURED={definitions}")])
        .current_dir(&root))?;
    run(Command::new("cmake").args(["--build", BOARD, "--target", "memory.elf"]).current_dir(&root))?;
    Ok(FIRMWARE.into())
}

/// Returns the size of the code and the constants.
fn text_size(firmware: &str) -> Result<f64, RunError> {
    let output = run(Command::new("arm-none-eabi-size").arg(firmware))?;
    let last = output.lines().last().unwrap_or("");
    Ok(last.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(f64::NAN))
}

/// Returns the sizes of the variables.
fn symbols(firmware: &str) -> Result<BTreeMap<String, u64>, RunError> {
    let output = run(Command::new("arm-none-eabi-nm").args(["--print-size", firmware]))?;
    let of = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, size, kind, name] = words[..] else { return None };
        let is_variable = ["b", "B", "d", "D"].contains(&kind);
        let size = u64::from_str_radix(size, 16).ok().filter(|_| is_variable)?;
        Some((name.to_owned(), size))
    };
    Ok(output.lines().filter_map(of).collect())
}

fn measure_case(case: Case, board: f64) -> Result<Figures, RunError> {
    let Case { publishers, subscriptions, services, clients, mtu, history } = case;
    let definitions = format!(
        "WITH_CLIENT;PUBLISHERS={publishers};SUBSCRIPTIONS={subscriptions};SERVICES={services};CLIENTS={clients};\
         MTU={mtu}U;HISTORY={history}U"
    );
    let firmware = build(&definitions)?;
    let folder = Folder::new()?;
    let mut figures = run_firmware(&firmware, folder.path())?;
    for (name, count) in [("received", subscriptions), ("requests", services), ("responses", clients)] {
        // The stack of what was not used would be missing.
        if count > 0 && figures.counts.get(name).is_none_or(|count| *count < 1.0) {
            return Err(RunError::Failed(
                "the firmware".into(),
                format!("it has no {name}: {:?}", figures.counts),
            ));
        }
    }
    figures.code = text_size(&firmware)? - board;
    figures.symbols = symbols(&firmware)?;
    Ok(figures)
}

/// Runs the firmware in QEMU, with an agent at its UART. QEMU counts instructions.
fn run_firmware(firmware: &str, folder: &Path) -> Result<Figures, RunError> {
    let mut qemu = Command::new("qemu-system-arm");
    qemu.args(["-M", "mps2-an386", "-icount", "shift=5,sleep=on", "-kernel", firmware]);
    qemu.args(["-display", "none", "-monitor", "none", "-serial", "null", "-serial", "pty"]);
    qemu.args(["-chardev", "stdio,id=console", "-semihosting-config"]);
    qemu.arg("enable=on,target=native,chardev=console,arg=firmware,arg=0x5001");
    let mut qemu = Program::start(&mut qemu)?;
    let line = qemu.wait_for("/dev/pts/")?;
    let terminal = line.split_whitespace().find(|word| word.starts_with("/dev/pts/")).unwrap_or("");
    let mut agent = saltus_command()?;
    let _agent =
        Program::start(agent.args(["agent", "serial", "--dev", terminal]).env("SALTUS_SHM_DIR", folder))?;
    let _host = Process::start_in("micro-memory", &[], folder)?;
    let nan = f64::NAN;
    let mut figures = Figures { stack: nan, best_effort: nan, reliable: nan, ..Figures::default() };
    let mut last = String::new();
    while let Some(line) = qemu.line(LONG)? {
        last.clone_from(&line);
        if let Some((name, _)) = line.split_once('=') {
            figures.counts.insert(name.to_owned(), value(&line, name));
        }
        let of = |name: &str, figure: &mut f64| {
            if line.starts_with(name) {
                *figure = value(&line, name);
            }
        };
        of("stack", &mut figures.stack);
        of("best_effort_instructions", &mut figures.best_effort);
        of("reliable_instructions", &mut figures.reliable);
    }
    if figures.stack.is_nan() {
        return Err(RunError::Failed("the firmware".into(), format!("it has ended early: {last}")));
    }
    Ok(figures)
}
