//! A network namespace, and commands in it.

use std::{
    ffi::OsStr,
    io::{self, BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
};

use crate::error::NetworkError;

/// A network namespace. It ends with the process that holds it, which ends when this is dropped, or when this process ends.
#[derive(Debug)]
pub(crate) struct Host {
    holder: Child,
    /// The holder ends when this is closed.
    _stdin: ChildStdin,
}

impl Host {
    /// Creates a namespace. The first one is in a new user namespace; the others are in that of the first.
    pub(crate) fn new(first: Option<&Self>) -> Result<Self, NetworkError> {
        let mut command = match first {
            None => {
                let mut command = Command::new("unshare");
                command.args(["--user", "--map-root-user", "--net"]);
                command
            }
            Some(first) => {
                let mut command = first.enter(&["--user"]);
                command.args(["unshare", "--net"]);
                command
            }
        };
        let mut holder = command.arg("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(mut stdin), Some(stdout)) = (holder.stdin.take(), holder.stdout.take()) else {
            return Err(io::Error::other("a process without pipes").into());
        };
        // The answer shows that the namespace is there.
        stdin.write_all(b"ready\n")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        if line.is_empty() {
            return Err(NetworkError::Refused);
        }
        let host = Self { holder, _stdin: stdin };
        host.run("ip", &["link", "set", "lo", "up"])?;
        Ok(host)
    }

    /// Returns the number of the process that holds it.
    pub(crate) fn pid(&self) -> u32 {
        self.holder.id()
    }

    fn enter(&self, namespaces: &[&str]) -> Command {
        let mut command = Command::new("nsenter");
        command
            .args(["--target", &self.pid().to_string(), "--preserve-credentials"])
            .args(namespaces)
            .arg("--");
        command
    }

    /// Returns a command that runs a program in this namespace.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.enter(&["--user", "--net"]);
        command.arg(program);
        command
    }

    /// Runs a program, and waits for its end.
    pub(crate) fn run(&self, program: &str, words: &[&str]) -> Result<(), NetworkError> {
        let output = self.command(program).args(words).output()?;
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(NetworkError::Failed(format!("{program} {}", words.join(" ")), text))
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // An error is ignored: it has ended already.
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}
