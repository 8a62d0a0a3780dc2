//! Starts, watches, restarts and ends the processes of components.

use std::{
    io,
    os::{
        fd::OwnedFd,
        unix::{net::UnixStream, process::CommandExt},
    },
    path::PathBuf,
    process::{Child, Command, ExitStatus},
    sync::{Arc, Mutex},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal},
};
use saltus_component::{Backend, Create, Loaded, LoadedComponent};
use saltus_msgs::composition_interfaces::srv::LoadNode_Request;
use saltus_node::{Context, KeptMessage, Logger, Placement};
use saltus_package::{LIBRARY_PATH, PackagePath};
use saltus_types::lock;

use crate::{
    PYTHON_PROGRAM, Restart, RestartPolicy, Role,
    kept::Keeper,
    library::{ComponentSource, IndexLoader},
    wire::{StartRequest, StartResponse},
};

/// The time within which a process must end after a request. After that it is killed.
const GRACE: Duration = Duration::from_secs(5);
/// The shortest delay before a restart, so that a component that dies at once does not use up a CPU.
const MIN_DELAY: Duration = Duration::from_millis(1);
/// The period with which a wait for a constructor checks whether the container is to end.
const CHECK_PERIOD: Duration = Duration::from_millis(100);

/// The backend that runs each component in a process of its own.
pub(crate) struct Processes {
    loader: Mutex<IndexLoader>,
    container: Arc<ContainerContext>,
}

/// The settings that all processes of a container share, and what they need of the container.
pub(crate) struct ContainerContext {
    pub(crate) context: Context,
    pub(crate) logger: Logger,
    /// The program of this process, which also runs components in Rust.
    pub(crate) program: PathBuf,
    /// The words that it needs before those of its role.
    pub(crate) words: &'static [&'static str],
    /// The arguments of the container for its nodes.
    pub(crate) arguments: Vec<String>,
    /// The number of threads of each component.
    pub(crate) threads: usize,
    pub(crate) restart: Restart,
    pub(crate) keeper: Keeper,
}

impl Processes {
    pub(crate) fn new(loader: IndexLoader, container: Arc<ContainerContext>) -> Self {
        Self { loader: Mutex::new(loader), container }
    }
}

impl Backend for Processes {
    fn find(&self, request: &LoadNode_Request) -> Result<Create<'_>, String> {
        let (package, plugin) = (&request.package_name, &request.plugin_name);
        let source = lock(&self.loader).find(package, plugin).map_err(|error| error.to_string())?;
        saltus_node::info!(self.container.logger, "Found class: {plugin}");
        Ok(Box::new(move |id, request| {
            saltus_node::info!(self.container.logger, "Instantiate class: {}", request.plugin_name);
            let (worker, started) = Worker::start(&self.container, (&source, 0), &request, &[], None)?;
            self.container.keeper.watch(id, started.process);
            let name = started.response.full_node_name;
            let container = self.container.clone();
            let supervisor = Supervisor { container, id, name: name.clone(), source, request };
            let component =
                SupervisedComponent::new(supervisor, worker).map_err(|error| error.to_string())?;
            Ok(Loaded { name, component: Box::new(component) })
        }))
    }
}

/// A component in a process of its own, and the thread that watches the process.
struct SupervisedComponent {
    /// When it is closed, the thread ends the process.
    running: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

impl SupervisedComponent {
    fn new(supervisor: Supervisor, worker: Worker) -> io::Result<Self> {
        let (running, stop) = UnixStream::pair()?;
        let thread = thread::Builder::new().name("supervisor".into());
        let thread = thread.spawn(move || supervisor.run(worker, &StopSignal(stop)))?;
        Ok(Self { running: Some(running), thread: Some(thread) })
    }
}

impl LoadedComponent for SupervisedComponent {
    fn stop(&mut self) {
        self.running = None;
    }
}

impl Drop for SupervisedComponent {
    fn drop(&mut self) {
        self.stop();
        if let Some(thread) = self.thread.take() {
            // It does not panic.
            let _ = thread.join();
        }
    }
}

/// Readable when a component is to end.
struct StopSignal(UnixStream);

impl StopSignal {
    /// Waits until the component is to end, or until `other` is readable, for at most `timeout`. Returns whether the
    /// component is to end.
    fn wait(&self, other: Option<&OwnedFd>, timeout: Option<Duration>) -> bool {
        let mut fds = vec![PollFd::new(&self.0, PollFlags::IN)];
        fds.extend(other.map(|fd| PollFd::new(fd, PollFlags::IN)));
        poll_for(&mut fds, timeout);
        !fds[0].revents().is_empty()
    }
}

/// Polls. A signal does not end the wait.
fn poll_for(fds: &mut [PollFd<'_>], timeout: Option<Duration>) {
    let end = timeout.map(|timeout| Instant::now() + timeout);
    loop {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let left = left.map(|left| Timespec {
            tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        });
        match poll(fds, left.as_ref()) {
            Err(rustix::io::Errno::INTR) => {}
            // A poll of valid descriptors fails only without memory. The caller looks at the descriptors again.
            Err(_) | Ok(_) => return,
        }
    }
}

/// The process of a component. Dropping it kills the process.
struct Worker {
    child: Child,
    pidfd: OwnedFd,
    started: Instant,
    /// When it is closed, the process learns that the container has ended.
    _connection: UnixStream,
}

impl Worker {
    /// Starts a process, and waits until it has created its component.
    fn start(
        container: &ContainerContext,
        (source, restarts): (&ComponentSource, u64),
        request: &LoadNode_Request,
        kept: &[KeptMessage],
        stop: Option<&StopSignal>,
    ) -> Result<(Self, StartResponse), String> {
        let failed = |error: io::Error| format!("can't start a process for the component: {error}");
        let (mut connection, theirs) = UnixStream::pair().map_err(failed)?;
        // A process that is stopped must not stop the container.
        connection.set_write_timeout(Some(GRACE)).map_err(failed)?;
        let kept_open = connection.try_clone().map_err(failed)?;
        let [python, python_arguments @ ..] = PYTHON_PROGRAM;
        let mut command = match source {
            ComponentSource::Python => {
                let mut command = Command::new(python);
                command.args(python_arguments);
                command
            }
            ComponentSource::Cpp(program) => {
                let mut command = Command::new(program);
                command.envs(PackagePath::from_environment().library_path().map(|path| (LIBRARY_PATH, path)));
                command
            }
            ComponentSource::Library(_) | ComponentSource::Program => {
                let mut command = Command::new(&container.program);
                command.args(container.words);
                command
            }
        };
        command
            .args(Role::Worker { threads: container.threads, restarts }.words())
            .args(&container.arguments);
        // In a process group of its own, so that Ctrl-C reaches only the container, which ends the process.
        command.stdin(OwnedFd::from(theirs)).process_group(0);
        let mut child = spawn(&mut command).map_err(failed)?;
        // The command holds the other end of the connection.
        drop(command);
        let pidfd = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).map_err(|error| {
            let _ = child.kill();
            let _ = child.wait();
            failed(error.into())
        })?;
        let mut worker = Self { child, pidfd, started: Instant::now(), _connection: kept_open };
        let library = match source {
            ComponentSource::Library(library) => library.display().to_string(),
            ComponentSource::Python | ComponentSource::Cpp(_) | ComponentSource::Program => String::new(),
        };
        let start = StartRequest { request: request.clone(), library, kept: kept.to_vec() };
        let answer = start
            .write(&mut connection)
            .and_then(|()| worker.answer(&mut connection, &container.context, stop));
        match answer {
            Ok(started) if started.response.success => Ok((worker, started)),
            Ok(started) => Err(started.response.error_message),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err("the component is to end".into()),
            Err(_) => {
                let _ = worker.child.kill();
                let how = worker.child.wait().map_or_else(|error| error.to_string(), describe);
                Err(format!("Component constructor threw an exception: its process {how}"))
            }
        }
    }

    /// Waits for the answer of the process. The wait ends if the container or the component is to end.
    fn answer(
        &self,
        connection: &mut UnixStream,
        context: &Context,
        stop: Option<&StopSignal>,
    ) -> io::Result<StartResponse> {
        loop {
            let mut fds = [PollFd::new(&*connection, PollFlags::IN), PollFd::new(&self.pidfd, PollFlags::IN)];
            poll_for(&mut fds, Some(CHECK_PERIOD));
            if !fds[0].revents().is_empty() {
                connection.set_read_timeout(Some(GRACE))?;
                return StartResponse::read(connection);
            }
            // The connection may still be open in a process that the component has started.
            if !fds[1].revents().is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if context.is_shut_down() || stop.is_some_and(|stop| stop.wait(None, Some(Duration::ZERO))) {
                return Err(io::ErrorKind::Interrupted.into());
            }
        }
    }

    /// Requests the end of the process, and waits for it.
    fn end(mut self) {
        // An error means that the process has ended already.
        let _ = pidfd_send_signal(&self.pidfd, Signal::INT);
        poll_for(&mut [PollFd::new(&self.pidfd, PollFlags::IN)], Some(GRACE));
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // An error means that the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a process from a thread that has left the placement of the container.
fn spawn(command: &mut Command) -> io::Result<Child> {
    let spawn = || {
        Placement::leave();
        command.spawn()
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, spawn)?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread that starts it panicked")))
    })
}

/// Watches the process of a component.
struct Supervisor {
    container: Arc<ContainerContext>,
    id: u64,
    name: String,
    /// The source of the component. It stays the same when the component is started again, also if another build was installed
    /// meanwhile.
    source: ComponentSource,
    request: LoadNode_Request,
}

impl Supervisor {
    /// Restarts the process whenever it has died, as the policy says. Ends it when the component is to end.
    fn run(self, worker: Worker, stop: &StopSignal) {
        let mut backoff = Backoff::new(self.container.restart);
        let mut kept = Vec::new();
        let mut worker = Some(worker);
        while let Some(mut running) = worker.take() {
            let is_to_end = stop.wait(Some(&running.pidfd), None);
            if is_to_end {
                running.end();
                break;
            }
            let status = running.child.wait();
            update(&mut kept, self.container.keeper.take(self.id));
            let how = status.as_ref().map_or_else(ToString::to_string, |status| describe(*status));
            let ran_for = running.started.elapsed();
            if !restarts(self.container.restart.policy, status.ok()) {
                let (id, name) = (self.id, &self.name);
                saltus_node::error!(
                    self.container.logger,
                    "component {id} '{name}' {how}; it is not started again"
                );
                break;
            }
            worker = self.restart(&how, &mut backoff, ran_for, &kept, stop);
        }
        self.container.keeper.take(self.id);
    }

    /// Starts the process again, until it runs. Returns `None` if the component is to end.
    fn restart(
        &self,
        how: &str,
        backoff: &mut Backoff,
        ran_for: Duration,
        kept: &[KeptMessage],
        stop: &StopSignal,
    ) -> Option<Worker> {
        let (mut how, mut ran_for) = (how.to_owned(), ran_for);
        loop {
            let delay = backoff.next(ran_for);
            saltus_node::error!(
                self.container.logger,
                "component {} '{}' {how}; restart {} in {} ms",
                self.id,
                self.name,
                backoff.restarts,
                delay.as_millis()
            );
            if stop.wait(None, Some(delay)) {
                return None;
            }
            let start = (&self.source, backoff.restarts);
            match Worker::start(&self.container, start, &self.request, kept, Some(stop)) {
                Ok((worker, started)) => {
                    self.container.keeper.watch(self.id, started.process);
                    saltus_node::info!(
                        self.container.logger,
                        "component {} '{}' was started again",
                        self.id,
                        self.name
                    );
                    return Some(worker);
                }
                Err(_) if stop.wait(None, Some(Duration::ZERO)) => return None,
                Err(_) if self.container.context.is_shut_down() => return None,
                Err(error) => {
                    (how, ran_for) = (format!("could not be started again: {error}"), Duration::ZERO);
                }
            }
        }
    }
}

/// Replaces the messages of the topics that have newer ones.
fn update(kept: &mut Vec<KeptMessage>, newer: Vec<KeptMessage>) {
    kept.retain(|message| newer.iter().all(|new| new.topic != message.topic));
    kept.extend(newer);
}

/// Whether a process with this exit status is started again. The status is unknown if the process could not be awaited.
fn restarts(policy: RestartPolicy, status: Option<ExitStatus>) -> bool {
    match policy {
        RestartPolicy::Never => false,
        RestartPolicy::OnFailure => !status.is_some_and(|status| status.success()),
        RestartPolicy::Always => true,
    }
}

/// Describes how a process has ended.
fn describe(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.signal(), status.code()) {
        (Some(signal), _) => {
            let name = nix::sys::signal::Signal::try_from(signal).map_or("unknown", |signal| signal.as_str());
            format!("was killed by signal {signal} ({name})")
        }
        (None, Some(code)) => format!("ended with exit status {code}"),
        (None, None) => "ended".into(),
    }
}

/// The delays before the restarts of a process.
struct Backoff {
    restart: Restart,
    next: Duration,
    /// The number of restarts so far.
    restarts: u64,
}

impl Backoff {
    fn new(restart: Restart) -> Self {
        Self { restart, next: restart.backoff, restarts: 0 }
    }

    /// Returns the delay before the next restart of a process that has run for this time.
    fn next(&mut self, ran_for: Duration) -> Duration {
        if ran_for >= self.restart.max_backoff {
            self.next = self.restart.backoff;
        }
        let delay = self.next.max(MIN_DELAY);
        self.next = delay.saturating_mul(2).min(self.restart.max_backoff).max(delay).max(MIN_DELAY);
        self.restarts += 1;
        delay
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_and_shrink() {
        let (backoff, max_backoff) = (Duration::from_millis(100), Duration::from_millis(350));
        let mut delays = Backoff::new(Restart { policy: RestartPolicy::Always, backoff, max_backoff });
        let mut next = |ran_for| delays.next(Duration::from_millis(ran_for)).as_millis();
        assert_eq!([0; 4].map(&mut next), [100, 200, 350, 350]);
        assert_eq!([349, 350, 0].map(&mut next), [350, 100, 200]);
    }

    #[test]
    fn newer_messages_replace_those_of_their_topic() {
        let message =
            |topic: &str, byte| KeptMessage { topic: topic.into(), bytes: vec![byte], ..Default::default() };
        let mut kept = vec![message("/map", 1), message("/plan", 1)];
        update(&mut kept, vec![message("/map", 2), message("/map", 3)]);
        assert_eq!(kept, [message("/plan", 1), message("/map", 2), message("/map", 3)]);
    }
}
