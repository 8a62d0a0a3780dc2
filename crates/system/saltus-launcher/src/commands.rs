//! The commands of substitutions.

use std::{
    io,
    os::fd::{AsFd, OwnedFd},
    process::{Child, Command, Output, Stdio},
};

use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::{bounded_wait::BoundedWait, child::with_all_signals};

/// The maximum number of bytes that are read at once.
const CHUNK_SIZE: usize = 64 << 10;
/// The maximum length of an output in bytes. A description of a robot has less than a megabyte.
const MAX_OUTPUT: usize = 64 << 20;

/// Runs a command to its end, and returns its output.
///
/// # Errors
///
/// Returns an error if the command was killed, because everything is to end and the command went on.
pub(crate) fn output(command: &mut Command, is_ending: bool) -> io::Result<Output> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = with_all_signals(command).spawn()?;
    let read = read_all(&mut child, is_ending);
    if read.is_err() {
        // An error means that it has ended.
        let _ = child.kill();
    }
    let status = child.wait()?;
    let [stdout, stderr] = read?;
    Ok(Output { status, stdout, stderr })
}

/// Reads both outputs of a process until it has ended and its pipes are closed.
fn read_all(child: &mut Child, is_ending: bool) -> io::Result<[Vec<u8>; 2]> {
    let mut wait = BoundedWait::new("a command", is_ending)?;
    let ended = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    let pipes = [child.stdout.take().map(OwnedFd::from), child.stderr.take().map(OwnedFd::from)];
    let mut sources: Vec<(usize, OwnedFd)> =
        pipes.into_iter().chain([Some(ended)]).enumerate().filter_map(|(i, fd)| Some((i, fd?))).collect();
    let mut texts = [Vec::new(), Vec::new()];
    while !sources.is_empty() {
        let fds: Vec<_> = sources.iter().map(|(_, fd)| fd.as_fd()).collect();
        let Some(ready) = wait.wait(&fds)? else {
            return Err(io::Error::other("it was ended, because it did not return in time"));
        };
        let mut ready = ready.into_iter();
        let mut failed = None;
        sources.retain(|(index, fd)| match (ready.next(), texts.get_mut(*index)) {
            (Some(true), Some(text)) => read_some(fd, text).unwrap_or_else(|error| {
                failed = Some(error);
                false
            }),
            (is_ready, _) => is_ready != Some(true),
        });
        if let Some(error) = failed {
            return Err(error);
        }
    }
    Ok(texts)
}

/// Reads a chunk and appends it to a text. Returns false at the end.
///
/// # Errors
///
/// Returns an error if the output is too long.
fn read_some(fd: &OwnedFd, text: &mut Vec<u8>) -> io::Result<bool> {
    let mut chunk = vec![0; CHUNK_SIZE];
    let count = rustix::io::read(fd, &mut chunk[..])?;
    text.extend_from_slice(&chunk[..count]);
    if text.len() > MAX_OUTPUT {
        return Err(io::Error::other(format!(
            "it was ended, because its output is longer than {} MiB",
            MAX_OUTPUT >> 20
        )));
    }
    Ok(count > 0)
}
