//! Runs a plan: starts its processes, shows their output, starts them again, and ends them.

use std::{fs, io, time::Duration};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{WaitOptions, wait},
};
use saltus_launch_file::{Evaluator, World, plan::Plan};

mod cause;
mod display;
mod event;
mod exits;
mod graph_events;
mod handlers;
mod instructions;
mod lifetime;
mod processes;
mod reactions;
mod signals;
mod starts;
mod steps;
mod timers;

use cause::EndCause;
use display::Display;
use event::LaunchEvent;
use handlers::Handlers;
use lifetime::Lifetime;
use processes::{Processes, StartSettings};
use signals::{Received, Signals};
use timers::Timers;

use crate::{
    graph::Graph,
    guard::{end_the_rest, is_foreground},
    live::Request,
    screen::Level,
    supervisor::{Exit, Id, Instruction, Supervisor, Time},
    world::Machine,
};

/// The interval at which to check whether there is room for lines again.
const ROOM_CHECK: Duration = Duration::from_millis(10);

/// Options of the run of a plan.
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
    launcher.display.message(Level::Info, "launch", &text);
    launcher.perform_steps(plan.steps);
    launcher.run()?;
    end_the_rest(launcher.lifetime.signals.fd())?;
    let failure = launcher.processes.supervisor.first_failure().map(Exit::code);
    Ok(failure.unwrap_or(i32::from(launcher.lifetime.has_failed)))
}

/// A launch that runs.
struct Launcher<'a> {
    /// Evaluates actions of the launch file while the launch runs.
    evaluator: Evaluator<'a>,
    machine: &'a Machine,
    /// The actions that the launch file performs when a time has passed.
    timers: Timers,
    /// The actions that the launch file performs when an event has happened.
    handlers: Handlers,
    processes: Processes,
    graph: Graph,
    display: Display,
    lifetime: Lifetime,
}

impl<'a> Launcher<'a> {
    fn new(evaluator: Evaluator<'a>, machine: &'a Machine, options: Options) -> io::Result<Self> {
        // Before threads are started, so that they do not get the signals.
        let lifetime = Lifetime::begin(Signals::open()?);
        let folder = machine.log_folder();
        Ok(Self {
            evaluator,
            machine,
            timers: Timers::default(),
            handlers: Handlers::default(),
            display: Display::open(&folder, options.with_table)?,
            processes: Processes::new(StartSettings::new(folder, options.with_commands)),
            graph: Graph::join()?,
            lifetime,
        })
    }

    /// Runs until everything has ended.
    fn run(&mut self) -> io::Result<()> {
        loop {
            if self.handle_events() {
                self.lifetime.signals.handlers_ran();
            }
            self.report_warnings();
            if self.machine.take_work() {
                self.handlers.add_event(LaunchEvent::WorkAdded);
            }
            if self.is_over() {
                if self.lifetime.is_ending() {
                    break;
                }
                // As in ROS 2, handlers of the end are also called if there is nothing more to do.
                self.begin_end(EndCause::Idle);
                continue;
            }
            self.wait()?;
            self.read_signals()?;
            self.read_graph_events();
            self.read_output();
            self.reap()?;
            self.supervise(Supervisor::tick);
            for actions in self.timers.take_due(self.lifetime.now()) {
                self.perform_actions(&actions, None);
            }
            self.carry_out_instructions();
            self.announce();
            self.serve_users();
        }
        let limit = self.lifetime.last_lines_limit()?;
        self.display.close(|| limit.is_reached());
        Ok(())
    }

    fn is_over(&self) -> bool {
        // At the end, only the timers are left that go on then. The clock of nodes may stand still.
        let waits = !self.lifetime.is_ending() && (self.timers.has_ros() || self.graph.is_busy());
        let is_idle = !self.timers.has_steady() && !self.handlers.has_events() && !waits;
        self.processes.supervisor.is_over() && is_idle
    }

    /// Reports an event to the supervisor, and keeps its instructions until they are carried out.
    fn supervise(&mut self, event: impl FnOnce(&mut Supervisor, Time) -> Vec<Instruction>) {
        let instructions = event(&mut self.processes.supervisor, self.lifetime.now());
        self.processes.instructions.extend(instructions);
    }

    /// Shows a line about a process.
    fn process_message(&mut self, level: Level, id: Id, text: &str) {
        self.display.message(level, &self.processes[id].name, text);
    }

    /// Tells the user of possible mistakes in launch files.
    fn report_warnings(&mut self) {
        for text in self.machine.take_warnings() {
            self.display.message(Level::Warning, "launch", &text);
        }
    }

    /// Ends everything.
    fn end(&mut self, cause: EndCause) {
        if let Some(text) = cause.announcement().filter(|_| !self.lifetime.is_ending()) {
            self.display.message(Level::Info, "launch", &text);
        }
        self.begin_end(cause);
        self.supervise(Supervisor::end);
        self.carry_out_instructions();
    }

    /// Begins the end: cancels timers, and tells handlers. The supervisor ends the processes.
    fn begin_end(&mut self, cause: EndCause) {
        // A handler of the end may end everything again.
        if !self.lifetime.begin_end() {
            return;
        }
        self.machine.end();
        self.timers.cancel_for_end();
        self.graph.stop();
        self.handlers.add_event(LaunchEvent::Shutdown(cause));
    }

    /// Tells the user once that all processes are ready.
    fn announce(&mut self) {
        let all_ready = !self.graph.is_busy() && self.processes.supervisor.are_all_ready();
        if !self.lifetime.is_starting() || !all_ready {
            return;
        }
        self.lifetime.set_ready();
        let (count, time) = (self.processes.len(), self.lifetime.now().as_secs_f64());
        let subject =
            if count == 1 { "the process is".to_owned() } else { format!("all {count} processes are") };
        self.display.message(Level::Info, "launch", &format!("{subject} ready after {time:.2} s"));
    }

    /// Carries out the requests of users, and shows them the processes.
    fn serve_users(&mut self) {
        for request in self.display.take_requests(self.processes.len()) {
            match request {
                Request::Restart(id) => self.supervise(|supervisor, now| supervisor.restart(id, now)),
                Request::Stop(id) => self.stop(id),
            }
        }
        self.carry_out_instructions();
        if self.display.is_watched() {
            let is_new = self.display.update_samples(self.processes.pids());
            let rows = self.processes.rows(self.display.samples());
            self.display.draw(rows, is_new);
        }
    }

    /// Waits until something has happened.
    fn wait(&mut self) -> io::Result<()> {
        let now = self.lifetime.now();
        let deadlines = [self.processes.supervisor.next_deadline(), self.timers.next_deadline()];
        let next = deadlines.into_iter().flatten().min().map(|next| next.saturating_sub(now));
        let wants_lines = self.display.wants_lines();
        let mut fds = vec![PollFd::new(self.lifetime.signals.fd(), PollFlags::IN)];
        let mut graph_limit = None;
        if let Some((graph, limit)) = self.graph.arm() {
            fds.push(PollFd::from_borrowed_fd(graph, PollFlags::IN));
            graph_limit = limit;
        }
        if wants_lines {
            fds.extend(self.processes.output_fds().map(|fd| PollFd::new(fd, PollFlags::IN)));
        }
        let program = self.machine.program();
        fds.extend(program.as_deref().map(|program| PollFd::new(program, PollFlags::IN)));
        fds.extend(self.display.fds().map(|(fd, flags)| PollFd::from_borrowed_fd(fd, flags)));
        let stdin = io::stdin();
        if self.display.has_table() && is_foreground() {
            fds.push(PollFd::new(&stdin, PollFlags::IN));
        }
        let room_check = (!wants_lines).then_some(ROOM_CHECK);
        // Work of the program is done in the next pass, and signals must not wait for the end of all work.
        let at_once = self.handlers.has_events().then_some(Duration::ZERO);
        let limits = [next, graph_limit, self.display.table_due_in(), room_check, at_once];
        let limit = limits.into_iter().flatten().min().map(|limit| Timespec {
            tv_sec: limit.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: limit.subsec_nanos().into(),
        });
        match poll(&mut fds, limit.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn read_signals(&mut self) -> io::Result<()> {
        while let Some(received) = self.lifetime.signals.next()? {
            let signal = match received {
                Received::Continued => {
                    self.display.resume();
                    continue;
                }
                Received::End(signal) => signal,
            };
            if self.lifetime.is_ending() {
                let text = format!("{signal} again: the next signal is sent at once");
                self.display.message(Level::Warning, "launch", &text);
                self.timers.cancel_steady();
                self.supervise(Supervisor::end_at_once);
            } else {
                self.end(EndCause::Signal(signal));
            }
            self.lifetime.signals.handled(signal);
        }
        Ok(())
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
