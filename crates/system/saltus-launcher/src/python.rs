//! The process that runs launch files in Python.

use std::{
    cell::{Cell, LazyCell, RefCell},
    env,
    ffi::OsString,
    fs::File,
    io::{self, BufRead, BufReader, Write},
    net::Shutdown,
    os::{
        fd::{AsFd, OwnedFd},
        unix::{net::UnixStream, process::CommandExt},
    },
    path::Path,
    process::{Child, Command, Stdio},
    rc::Rc,
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use saltus_launch_file::{Action, Scope, Text, World, perform};
use saltus_package::Prefix;
use serde_json::{Value as Json, json};

use crate::{
    bounded_wait::BoundedWait,
    guard::{SERVER, VARIABLE},
};

/// The program, and its arguments.
const PROGRAM: [&str; 3] = ["python3", "-m", "saltus.launch.serve"];

/// The version of the requests and answers. The package in Python has the same number.
const PROTOCOL: u64 = 2;

/// The environment variable with the prefix of the packages that the command itself contains.
const BUNDLED: &str = "SALTUS_BUNDLED_PREFIX";

/// The prefix of the packages that the command itself contains. It is found when it is first needed, because another program
/// must be started for that.
pub(crate) type BundledPrefix = Rc<LazyCell<Option<Prefix>, fn() -> Option<Prefix>>>;

/// The process that runs launch files in Python. It is started at the first request.
#[derive(Debug)]
pub(crate) struct Python {
    bundled: BundledPrefix,
    process: RefCell<Option<Process>>,
    is_ending: Cell<bool>,
}

#[derive(Debug)]
struct Process {
    program: Program,
    input: File,
    output: BufReader<File>,
    /// Whether the program has added work that was not taken yet.
    has_work: bool,
}

/// The program that runs the functions.
#[derive(Debug)]
enum Program {
    /// A process that the launcher has started.
    Started(Child),
    /// The program that has started this launch, at the other end of a socket.
    Starter(Rc<UnixStream>),
    /// The program that has started this launch has closed its end.
    Gone,
}

impl Program {
    /// Ends the process, or the connection to the program. Later requests fail.
    fn end(&mut self) {
        // An error means that it has ended.
        let _ = match self {
            Self::Started(child) => child.kill(),
            Self::Starter(stream) => stream.shutdown(Shutdown::Both),
            Self::Gone => Ok(()),
        };
    }
}

impl Python {
    /// Returns a process that is not started yet.
    pub(crate) fn new(bundled: BundledPrefix) -> Self {
        Self { bundled, process: RefCell::default(), is_ending: Cell::default() }
    }

    /// Whether the process runs.
    pub(crate) fn is_running(&self) -> bool {
        self.process.borrow().is_some()
    }

    /// Notes that everything ends. Functions that do not return in time are ended from now on.
    pub(crate) fn end(&self) {
        self.is_ending.set(true);
    }

    /// Whether everything ends.
    pub(crate) fn is_ending(&self) -> bool {
        self.is_ending.get()
    }

    /// Returns the program that has started this launch, if it is connected. It may add work at any time.
    pub(crate) fn starter(&self) -> Option<Rc<UnixStream>> {
        match &self.process.borrow().as_ref()?.program {
            Program::Starter(stream) => Some(Rc::clone(stream)),
            Program::Started(_) | Program::Gone => None,
        }
    }

    /// Returns whether the program that has started this launch has added work since the last call.
    pub(crate) fn take_work(&self) -> bool {
        self.process.borrow_mut().as_mut().is_some_and(Process::take_work)
    }

    /// Evaluates an expression.
    pub(crate) fn evaluate(&self, expression: &str, modules: &[String]) -> Result<String, String> {
        let value =
            self.request_value(&json!({"call": "evaluate", "expression": expression, "modules": modules}))?;
        value.as_str().map(str::to_owned).ok_or_else(|| "the value is no text".into())
    }

    /// Requests a value that needs no scope.
    pub(crate) fn request_value(&self, request: &Json) -> Result<Json, String> {
        self.send(request)?;
        let mut answer = self.receive()?;
        match answer.get("error") {
            Some(error) => Err(error.as_str().unwrap_or("failed").to_owned()),
            None => Ok(answer["value"].take()),
        }
    }

    /// Sends a request, and answers the questions that come before its answer. Takes over the changes of the scope.
    pub(crate) fn request(
        &self,
        mut request: Json,
        scope: &mut Scope,
        world: &dyn World,
    ) -> Result<Json, String> {
        request["context"] = json!({
            "variables": scope.variables,
            "environment": scope.environment,
            "file": scope.file.as_deref().map(path_text).transpose()?,
            "event": scope.event,
            "is_shutdown": self.is_ending.get(),
        });
        self.send(&request)?;
        loop {
            let mut answer = self.receive()?;
            if answer.get("perform").is_some() {
                let reply = evaluate_text(&mut answer, scope, world);
                self.send(&reply.map_or_else(|error| json!({"error": error}), |text| json!({"text": text})))?;
                continue;
            }
            if let Some(error) = answer.get("error") {
                return Err(error.as_str().unwrap_or("failed").to_owned());
            }
            take_changes(&mut answer, scope)?;
            return Ok(answer);
        }
    }

    fn send(&self, message: &Json) -> Result<(), String> {
        let mut process = self.process.borrow_mut();
        let process = match &mut *process {
            Some(process) => process,
            none => {
                let bundled = (**self.bundled).as_ref().map(Prefix::path);
                none.insert(Process::start(bundled, self.is_ending.get())?)
            }
        };
        let sent = writeln!(process.input, "{message}").and_then(|()| process.input.flush());
        sent.map_err(|error| format!("the process that runs launch files in Python has ended: {error}"))
    }

    fn receive(&self) -> Result<Json, String> {
        let mut process = self.process.borrow_mut();
        let process = process.as_mut().ok_or("no request was sent")?;
        process.receive(self.is_ending.get())
    }
}

/// Returns the words of the command line behind the verb. Another program of Saltus may have added a word before the verb.
fn launch_words(words: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    words.skip_while(|word| word != "launch").skip(1)
}

impl Process {
    fn start(bundled: Option<&Path>, is_ending: bool) -> Result<Self, String> {
        let started = match env::var_os(SERVER) {
            Some(path) => Self::connect(Path::new(&path)),
            None => Self::spawn(bundled),
        };
        let mut process = started?;
        if process.receive(is_ending)?["protocol"] == PROTOCOL {
            return Ok(process);
        }
        Err("the package saltus of python3 belongs to another version of this command; install both together"
            .into())
    }

    /// Connects to the program that has started this launch.
    fn connect(path: &Path) -> Result<Self, String> {
        let failed = |error: io::Error| {
            format!("can't reach the program that has started this launch ({}): {error}", path.display())
        };
        let stream = UnixStream::connect(path).map_err(failed)?;
        let end = || Ok::<_, String>(File::from(OwnedFd::from(stream.try_clone().map_err(failed)?)));
        let (input, output) = (end()?, BufReader::new(end()?));
        Ok(Self { program: Program::Starter(Rc::new(stream)), input, output, has_work: false })
    }

    fn spawn(bundled: Option<&Path>) -> Result<Self, String> {
        let [program, arguments @ ..] = PROGRAM;
        let mut command = Command::new(program);
        // In a process group of its own, so that Ctrl-C reaches only the launcher.
        // Launch files may read the arguments of the command.
        command
            .args(arguments)
            .args(launch_words(env::args_os()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0);
        command.env_remove(VARIABLE).env(BUNDLED, bundled.unwrap_or(Path::new("")));
        let failed = |error: &dyn std::fmt::Display| {
            format!(
                "can't run {}: {error}; launch files in Python need the package saltus",
                PROGRAM.join(" ")
            )
        };
        let mut child = command.spawn().map_err(|error| failed(&error))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else { return Err(failed(&"it has no pipes")) };
        let output = File::from(OwnedFd::from(output));
        let (input, output) = (OwnedFd::from(input).into(), BufReader::new(output));
        Ok(Self { program: Program::Started(child), input, output, has_work: false })
    }

    /// Returns the next answer or question. Notes the work that is added before it.
    fn receive(&mut self, is_ending: bool) -> Result<Json, String> {
        let mut wait =
            BoundedWait::new("a function in Python", is_ending).map_err(|error| error.to_string())?;
        loop {
            self.wait(&mut wait)?;
            let line = self.read()?;
            if line.get("event").is_none() {
                return Ok(line);
            }
            self.has_work = true;
        }
    }

    fn read(&mut self) -> Result<Json, String> {
        let mut line = String::new();
        let count = self.output.read_line(&mut line).map_err(|error| error.to_string())?;
        if count == 0 {
            return Err("the process that runs launch files in Python has ended; see its output above".into());
        }
        serde_json::from_str(&line).map_err(|error| format!("an answer of Python is no JSON: {error}"))
    }

    /// Returns whether the program has added work since the last call. There must be no request without an answer.
    fn take_work(&mut self) -> bool {
        while matches!(self.program, Program::Starter(_)) && self.is_readable() {
            match self.read() {
                Ok(_) => self.has_work = true,
                // The next request fails.
                Err(_) => self.program = Program::Gone,
            }
        }
        std::mem::take(&mut self.has_work)
    }

    fn is_readable(&self) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut fds = [PollFd::new(self.output.get_ref(), PollFlags::IN)];
        !self.output.buffer().is_empty() || poll(&mut fds, Some(&now)).is_ok_and(|count| count > 0)
    }

    /// Waits for an answer. Ends a function that goes on although everything is to end.
    fn wait(&mut self, wait: &mut BoundedWait) -> Result<(), String> {
        if !self.output.buffer().is_empty() {
            return Ok(());
        }
        let fds = [self.output.get_ref().as_fd()];
        if wait.wait(&fds).map_err(|error| error.to_string())?.is_some() {
            return Ok(());
        }
        self.program.end();
        Err("a function in Python was ended, because it did not return in time".into())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.program.end();
        if let Program::Started(child) = &mut self.program {
            // An error means that another part of the launcher has collected it.
            let _ = child.wait();
        }
    }
}

/// Evaluates a text for a function of a launch file.
fn evaluate_text(question: &mut Json, scope: &Scope, world: &dyn World) -> Result<String, String> {
    let mut scope = scope.clone();
    take_changes(question, &mut scope)?;
    let text: Text = serde_json::from_value(question["perform"].take()).map_err(|error| error.to_string())?;
    perform(&text, &scope, world)
}

/// Takes over the variables and the environment that a function has left.
fn take_changes(answer: &mut Json, scope: &mut Scope) -> Result<(), String> {
    let wrong = |error: serde_json::Error| format!("a variable is no text: {error}");
    scope.variables = serde_json::from_value(answer["variables"].take()).map_err(wrong)?;
    scope.environment = serde_json::from_value(answer["environment"].take()).map_err(wrong)?;
    Ok(())
}

/// Returns a path as text.
///
/// # Errors
///
/// Returns an error if the path is not UTF-8: requests to Python are JSON.
pub(crate) fn path_text(path: &Path) -> Result<&str, String> {
    path.to_str().ok_or_else(|| {
        format!("the path {} of a launch file in Python is not UTF-8; give it another name", path.display())
    })
}

/// Returns the text in an answer.
pub(crate) fn answer_text(mut answer: Json, name: &str) -> Result<String, String> {
    if let Some(error) = answer.get("error") {
        return Err(error.as_str().unwrap_or("failed").to_owned());
    }
    serde_json::from_value(answer[name].take()).map_err(|error| error.to_string())
}

/// Returns the actions in an answer: those that a function has returned, and those that it has emitted.
pub(crate) fn answer_actions(mut answer: Json) -> Result<Vec<Action>, String> {
    let mut read = |name: &str| match answer[name].take() {
        Json::Null => Ok(Vec::new()),
        list => serde_json::from_value::<Vec<Action>>(list).map_err(|error| error.to_string()),
    };
    let mut all = read("value")?;
    all.extend(read("emitted")?);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_file_reads_the_words_behind_the_verb() {
        for before in [vec!["/bin/saltus"], vec!["/bin/saltus", "--started-by=0.1.0"]] {
            let words = [before, vec!["launch", "file", "a:=launch"]].concat();
            let read: Vec<OsString> = launch_words(words.into_iter().map(OsString::from)).collect();
            assert_eq!(read, ["file", "a:=launch"]);
        }
    }
}
