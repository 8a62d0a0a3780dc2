//! The errors that end a verb early, and the exit statuses of the programs.

use std::{
    io::{self, Write},
    process::ExitCode,
};

/// Any error that ends a verb early.
pub type Error = Box<dyn std::error::Error>;

/// The reasons for which a verb ends with an exit status of its own. Any other error ends the program with status 1.
///
/// ```
/// use saltus_verb::error::Ended;
/// assert_eq!(Ended::Interrupted.status(), 130);
/// ```
#[derive(Debug, thiserror::Error)]
pub enum Ended {
    /// Ctrl-C ended the verb before it had a result. The status is the one that a shell reports for SIGINT.
    #[error("interrupted")]
    Interrupted,
    /// The command line is wrong. The status is the one that clap uses.
    #[error("{0}")]
    Usage(String),
    /// The verb has found problems and has printed them. The text is their number.
    #[error("{0} found")]
    ProblemsFound(String),
}

impl Ended {
    /// Returns the exit status of the program.
    pub fn status(&self) -> u8 {
        match self {
            Self::Interrupted => 130,
            Self::Usage(_) => 2,
            Self::ProblemsFound(_) => 3,
        }
    }
}

/// Prints the error of a verb, if it has one, and returns the exit status of the program.
///
/// It is no error if the reader of the output has closed it, as in `saltus … | head`.
pub fn exit_code(done: Result<(), Error>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            // If nobody can read the text, the status still tells the result.
            let _ = writeln!(io::stderr(), "saltus: {error}");
            error.downcast_ref::<Ended>().map_or(ExitCode::FAILURE, |ended| ExitCode::from(ended.status()))
        }
    }
}

/// Returns whether the error, or an error that caused it, is that the reader of the output has closed it.
fn is_closed_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    let is_it = |error: &(dyn std::error::Error + 'static)| {
        error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    causes.any(is_it)
}
