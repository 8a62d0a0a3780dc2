//! Runs a plan: starts its processes, shows their output, starts them again, and ends them.

use std::{
    collections::{BTreeMap, VecDeque},
    fs::{self, File},
    io,
    path::PathBuf,
    rc::Rc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use nix::sys::{signal::Signal as NixSignal, signalfd::SignalFd};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Rlimit, WaitOptions, wait},
};
use saltus_launch_file::{
    Evaluator, World,
    plan::{Handler, Later, Plan, Process},
};
use serde_json::{Value as Json, json};

mod events;
mod processes;
mod steps;

use crate::{
    attach::Clients,
    child::{Child, raise_file_limit},
    graph::Graph,
    guard::{end_the_rest, ending_fd, has_signal, is_foreground, is_stop_over, signal_fd},
    live::{Row, Wish},
    log_file::LogFile,
    sample::Samples,
    screen::{Level, Line, Screen},
    supervisor::{Exit, Id, Instruction, Supervisor, Time},
    world::Machine,
};

/// Two signals of one kind that come within this time count once: a terminal sends Ctrl-C to the guard, too, which passes it
/// on.
const TOGETHER: Duration = Duration::from_millis(100);

/// How long the last lines may take to be written after a signal has ended the launch.
const READING: Duration = Duration::from_secs(1);

/// How often to check whether there is room for lines again.
const ROOM: Duration = Duration::from_millis(10);

/// How a plan is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether there is a live table of the processes, if the program has a terminal.
    pub with_table: bool,
    /// Whether the whole command of each process is printed.
    pub with_commands: bool,
}

/// Runs a plan until all its processes have ended. Returns the exit code of the first process that has failed, or 0.
/// `evaluator` is the one that has made the plan in the world `machine`.
///
/// # Errors
///
/// Returns an error if the log folder can't be written, or if the launcher can't join the domain.
pub fn run(plan: Plan, evaluator: Evaluator<'_>, machine: &Machine, options: Options) -> io::Result<i32> {
    let log_folder = &machine.log_folder();
    let failed = |error: io::Error| {
        let text = format!("can't make the log folder {}: {error}; set ROS_LOG_DIR", log_folder.display());
        io::Error::new(error.kind(), text)
    };
    fs::create_dir_all(log_folder).map_err(failed)?;
    let mut launcher = Launcher::new(evaluator, machine, options)?;
    let text = format!("All log files can be found below {}", log_folder.display());
    launcher.message(Level::Info, "launch", &text);
    launcher.steps(plan.steps);
    launcher.run()?;
    end_the_rest(&launcher.signals)?;
    let failure = launcher.supervisor.first_failure().map(Exit::code);
    Ok(failure.unwrap_or(i32::from(launcher.has_failed)))
}

/// A process of a launch.
struct Running {
    process: Rc<Process>,
    /// Its name in logs: the label and its number.
    name: String,
    child: Option<Child>,
    log: Option<LogFile>,
    last_line: String,
    /// Its parameters, if they could not be written to the log folder.
    parameters: Vec<File>,
}

impl Running {
    fn pid(&self) -> Option<i32> {
        self.child.as_ref().map(|child| child.pid.as_raw_nonzero().get())
    }
}

struct Launcher<'a> {
    begin: Instant,
    folder: PathBuf,
    /// How many files the processes may open.
    files: Rlimit,
    supervisor: Supervisor,
    evaluator: Evaluator<'a>,
    machine: &'a Machine,
    processes: Vec<Running>,
    timers: Vec<(Time, bool, Later)>,
    /// The timers on the clock of nodes, by their numbers in the graph.
    ros_timers: BTreeMap<usize, (bool, Later)>,
    handlers: Vec<Rc<Handler>>,
    /// What has happened and was not handled yet: the kind of event, its process, and what it says.
    events: VecDeque<(&'static str, Option<Id>, Json)>,
    instructions: VecDeque<Instruction>,
    screen: Screen,
    /// How often the output of processes was read.
    turn: usize,
    /// Those who watch the launch from elsewhere.
    clients: Option<Clients>,
    with_commands: bool,
    samples: Samples,
    log: LogFile,
    /// Whether it was said that log files can't be written.
    is_log_lost: bool,
    signals: SignalFd,
    last_signal: Option<(NixSignal, Instant)>,
    graph: Graph,
    is_ending: bool,
    /// Whether something else than a process has failed.
    has_failed: bool,
    /// Whether it was said that everything is ready.
    is_announced: bool,
}

impl<'a> Launcher<'a> {
    fn new(evaluator: Evaluator<'a>, machine: &'a Machine, options: Options) -> io::Result<Self> {
        let folder = &machine.log_folder();
        // Before threads are started, so that they do not get the signals.
        let signals = signal_fd()?;
        // The launch goes on if its folder can't have a socket.
        let clients = Clients::open(folder);
        let unreachable =
            clients.as_ref().err().map(|error| format!("`--attach` can't show this launch: {error}"));
        let mut launcher = Self {
            begin: Instant::now(),
            folder: folder.to_owned(),
            files: raise_file_limit(),
            supervisor: Supervisor::default(),
            evaluator,
            machine,
            processes: Vec::new(),
            timers: Vec::new(),
            ros_timers: BTreeMap::new(),
            handlers: Vec::new(),
            events: VecDeque::new(),
            instructions: VecDeque::new(),
            screen: Screen::open(options.with_table, false)?,
            turn: 0,
            clients: clients.ok(),
            with_commands: options.with_commands,
            samples: Samples::new(),
            log: LogFile::open(folder, "launch")?,
            is_log_lost: false,
            signals,
            last_signal: None,
            graph: Graph::join()?,
            is_ending: false,
            has_failed: false,
            is_announced: false,
        };
        if let Some(text) = unreachable {
            launcher.message(Level::Warning, "launch", &text);
        }
        Ok(launcher)
    }

    fn now(&self) -> Time {
        self.begin.elapsed()
    }

    fn message(&mut self, level: Level, name: &str, text: &str) {
        self.show_line(&Line::Message { level, name: name.into(), text: text.into() });
        if let Err(error) = self.log.line(&log_line(level, name, text)) {
            self.log_has_failed(&error);
        }
    }

    /// Says once that log files are not complete. A full disk must not end a robot.
    fn log_has_failed(&mut self, error: &io::Error) {
        if !std::mem::replace(&mut self.is_log_lost, true) {
            let text = format!("log files can't be written, so their lines are lost: {error}");
            self.show_line(&Line::Message { level: Level::Warning, name: "launch".into(), text });
        }
    }

    /// Shows a line to all who watch.
    fn show_line(&mut self, line: &Line) {
        self.screen.line(line);
        if let Some(clients) = &mut self.clients {
            clients.send_line(line);
        }
    }

    /// Tells the user of what may be wrong in launch files.
    fn report_warnings(&mut self) {
        for text in self.machine.take_warnings() {
            self.message(Level::Warning, "launch", &text);
        }
    }

    /// Ends everything.
    fn end(&mut self, text: &str, reason: &str) {
        if !self.is_ending {
            self.message(Level::Info, "launch", text);
        }
        self.begin_to_end(reason);
        let instructions = self.supervisor.end(self.now());
        self.instructions.extend(instructions);
        self.perform();
    }

    fn begin_to_end(&mut self, reason: &str) {
        // A handler of the end may end everything again.
        if std::mem::replace(&mut self.is_ending, true) {
            return;
        }
        self.machine.end();
        self.timers.retain(|(_, is_canceled, _)| !is_canceled);
        self.ros_timers.retain(|_, (is_canceled, _)| !*is_canceled);
        self.graph.stop();
        let is_interrupt = reason.contains("SIGINT");
        let event = json!({"kind": "shutdown", "reason": reason, "due_to_sigint": is_interrupt});
        self.events.push_back(("shutdown", None, event));
    }

    fn is_over(&self) -> bool {
        // At the end, only the timers are left that go on then. The clock of nodes may stand still.
        let waits = !self.is_ending && (!self.ros_timers.is_empty() || self.graph.is_busy());
        self.supervisor.is_over() && self.timers.is_empty() && !waits
    }

    fn run(&mut self) -> io::Result<()> {
        loop {
            if self.handle_events()
                && let Some((_, at)) = &mut self.last_signal
            {
                // The copy of a signal from the guard may have come while handlers ran.
                *at = Instant::now();
            }
            self.report_warnings();
            if self.is_over() {
                if self.is_ending {
                    break;
                }
                // As in ROS 2, handlers of the end are also called if there is nothing more to do.
                self.begin_to_end("idle");
                continue;
            }
            self.wait()?;
            self.read_signals()?;
            self.read_events();
            self.read_output();
            self.reap()?;
            let now = self.now();
            let instructions = self.supervisor.tick(now);
            self.instructions.extend(instructions);
            let (due, later): (Vec<_>, Vec<_>) = self.timers.drain(..).partition(|(at, ..)| *at <= now);
            self.timers = later;
            for (_, _, later) in due {
                self.perform_later(&later, None);
            }
            self.perform();
            self.announce();
            self.draw();
        }
        let (ending, begin, was_asked) = (ending_fd()?, Instant::now(), self.last_signal.is_some());
        // A user who has ended the launch does not wait for those who read its output.
        let is_late = || (was_asked && begin.elapsed() > READING) || has_signal(&ending);
        if let Some(clients) = &mut self.clients {
            clients.send_end();
        }
        if let Some(text) = self.screen.close(is_late) {
            // A full disk must not end a robot.
            let _ = self.log.line(&log_line(Level::Warning, "launch", &text));
        }
        Ok(())
    }

    /// Says once that all processes are ready.
    fn announce(&mut self) {
        if self.is_announced || self.is_ending || self.graph.is_busy() || !self.supervisor.are_all_ready() {
            return;
        }
        self.is_announced = true;
        let (count, time) = (self.processes.len(), self.now().as_secs_f64());
        let what =
            if count == 1 { "the process is".to_owned() } else { format!("all {count} processes are") };
        self.message(Level::Info, "launch", &format!("{what} ready after {time:.2} s"));
    }

    /// Does what users want, and shows them the processes.
    fn draw(&mut self) {
        let (screen, count) = (&mut self.screen, self.processes.len());
        let keys = screen.live.as_mut().map(|live| live.read_keys(count));
        let mut wishes = keys.unwrap_or_else(|| Some(Vec::new())).unwrap_or_else(|| {
            screen.close_table();
            Vec::new()
        });
        wishes.extend(self.clients.as_mut().map(Clients::receive).unwrap_or_default());
        for wish in wishes {
            match wish {
                Wish::Restart(id) => {
                    let instructions = self.supervisor.restart(id, self.now());
                    self.instructions.extend(instructions);
                }
                Wish::Stop(id) => self.stop(id),
            }
        }
        self.perform();
        if !self.is_watched() {
            return;
        }
        let is_new = self.samples.update(self.processes.iter().filter_map(Running::pid));
        let rows: Vec<Row> = (0..self.processes.len()).map(|id| self.row(id)).collect();
        self.screen.draw(&rows);
        if let Some(clients) = &mut self.clients {
            clients.send_rows(rows, is_new);
        }
    }

    /// Whether somebody sees the table.
    fn is_watched(&self) -> bool {
        self.screen.live.is_some() || self.clients.as_ref().is_some_and(Clients::is_watched)
    }

    fn row(&self, id: Id) -> Row {
        let running = &self.processes[id];
        let cost = running.pid().map(|pid| self.samples.of(pid)).unwrap_or_default();
        Row {
            name: running.name.clone(),
            state: self.supervisor.state_name(id).to_owned(),
            pid: running.pid(),
            cpu: cost.cpu,
            pss: cost.pss,
            restarts: self.supervisor.restarts(id),
            last_line: running.last_line.clone(),
        }
    }

    /// Waits until something has happened.
    fn wait(&mut self) -> io::Result<()> {
        let next =
            self.supervisor.next_deadline().into_iter().chain(self.timers.iter().map(|(at, ..)| *at)).min();
        let now = self.now();
        let table = self.is_watched().then(|| self.samples.due_in());
        let wants_lines = self.screen.wants_lines();
        let mut fds = vec![PollFd::new(&self.signals, PollFlags::IN)];
        let mut limit = None;
        if let Some((graph, most)) = self.graph.arm() {
            fds.push(PollFd::from_borrowed_fd(graph, PollFlags::IN));
            limit = most;
        }
        let room = (!wants_lines).then_some(ROOM);
        let left = next.map(|next| next.saturating_sub(now)).into_iter();
        let left = left.chain(limit).chain(table).chain(room).min();
        let children =
            self.processes.iter().filter_map(|running| running.child.as_ref()).filter(|_| wants_lines);
        let streams = children.flat_map(|child| [&child.out, &child.err]);
        fds.extend(streams.filter_map(|stream| stream.fd.as_ref()).map(|fd| PollFd::new(fd, PollFlags::IN)));
        let clients = self.clients.iter().flat_map(Clients::fds);
        fds.extend(clients.map(|(fd, flags)| PollFd::from_borrowed_fd(fd, flags)));
        let stdin = io::stdin();
        if self.screen.live.is_some() && is_foreground() {
            fds.push(PollFd::new(&stdin, PollFlags::IN));
        }
        let left = left.map(|left| Timespec {
            tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        });
        match poll(&mut fds, left.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn read_signals(&mut self) -> io::Result<()> {
        while let Some(signal) = self.signals.read_signal()? {
            if is_stop_over(&signal) {
                self.screen.resume();
                continue;
            }
            let raw = i32::try_from(signal.ssi_signo).unwrap_or_default();
            let Ok(signal) = NixSignal::try_from(raw) else { continue };
            let is_repeated =
                self.last_signal.is_some_and(|(last, at)| last == signal && at.elapsed() < TOGETHER);
            if signal == NixSignal::SIGCHLD || is_repeated {
                continue;
            }
            if self.is_ending {
                self.message(
                    Level::Warning,
                    "launch",
                    &format!("{signal} again: the next signal is sent at once"),
                );
                self.timers.clear();
                let instructions = self.supervisor.end_at_once(self.now());
                self.instructions.extend(instructions);
            } else {
                let text = if signal == NixSignal::SIGINT {
                    "user interrupted with ctrl-c (SIGINT)"
                } else {
                    signal.as_str()
                };
                let reason =
                    format!("{} ({signal})", if signal == NixSignal::SIGINT { "ctrl-c" } else { "signal" });
                self.end(text, &reason);
            }
            self.last_signal = Some((signal, Instant::now()));
        }
        Ok(())
    }

    fn read_output(&mut self) {
        let count = self.processes.len();
        // Each time another process is the first one, so that none takes all the room.
        self.turn = self.turn.wrapping_add(1);
        for place in 0..count {
            let id = (place + self.turn) % count;
            if !self.screen.wants_lines() {
                break;
            }
            self.read_output_of(id);
        }
    }

    fn read_output_of(&mut self, id: Id) {
        let Some(child) = &mut self.processes[id].child else { return };
        let (lines, errors) = (child.out.available(), child.err.available());
        self.show(id, lines, false);
        self.show(id, errors, true);
    }

    /// Collects the processes that have ended. One of them may be that of Python.
    fn reap(&mut self) -> io::Result<()> {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) => self.exited(pid, status),
                Ok(None) | Err(rustix::io::Errno::CHILD) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Returns a line of the log of a launch, as in ROS 2: the seconds since the epoch, the level, and the name.
fn log_line(level: Level, name: &str, text: &str) -> String {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    format!("{time:.6} [{}] [{name}]: {text}", level.word())
}
