//! The programs of Saltus, which start each other: `saltus`, `saltus-robot`, `saltus-bench` and `saltus-bridge`.
//!
//! A program looks for another one beside its own file, and then in `PATH`. The first word of the command line tells the
//! other program which version has started it. A program of another version refuses to run, because both would disagree
//! about the words of command lines or about the layout of shared memory.

use std::{
    env,
    ffi::OsString,
    fmt, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use saltus_memory::os::folder::LAYOUT;

use crate::error::Error;

/// A program of Saltus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// The verbs of the graph.
    Saltus,
    /// The simulator, the demos, and the components of navigation.
    Robot,
    /// The benchmarks.
    Bench,
    /// The bridge to networks over Zenoh.
    Bridge,
}

/// The beginning of the word with which a program tells another one its version.
const STARTED_BY: &str = "--started-by=";

/// The version of this program: that of the package, and that of the layout of shared memory, such as `0.1.0+layout6`.
pub static VERSION: LazyLock<String> =
    LazyLock::new(|| format!("{}+layout{LAYOUT}", env!("CARGO_PKG_VERSION")));

/// The first word of a command line that starts another program of Saltus.
pub fn first_word() -> String {
    format!("{STARTED_BY}{}", *VERSION)
}

/// Returns the words of a command line without the word that another program of Saltus has added.
pub fn without_first_word(words: impl IntoIterator<Item = String>) -> Vec<String> {
    let added = first_word();
    words.into_iter().filter(|word| *word != added).collect()
}

impl Program {
    /// Returns the name of the program's file.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Saltus => "saltus",
            Self::Robot => "saltus-robot",
            Self::Bench => "saltus-bench",
            Self::Bridge => "saltus-bridge",
        }
    }

    /// Returns the path of the program.
    ///
    /// # Errors
    ///
    /// Returns an error if the program is neither beside the file of this program nor in a folder of `PATH`.
    pub fn path(self) -> Result<PathBuf, Error> {
        let own = env::current_exe()?;
        let beside = own.parent().map(Path::to_owned);
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = beside.iter().cloned().chain(env::split_paths(&path));
        self.find(folders).ok_or_else(|| NotInstalled { program: self, beside: own }.into())
    }

    /// Returns what builds the program in the source tree.
    fn built_by(self) -> &'static str {
        match self {
            Self::Saltus | Self::Robot | Self::Bench => "`make programs` and `pip install` build it",
            Self::Bridge => "`make bridge` builds it",
        }
    }

    fn find(self, mut folders: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
        folders.find_map(|folder| Some(folder.join(self.file_name())).filter(|path| is_program(path)))
    }

    /// Returns a command that starts the program. The caller adds the verb and its arguments.
    ///
    /// # Errors
    ///
    /// Returns an error if the program is not installed.
    pub fn command(self) -> Result<Command, Error> {
        let mut command = Command::new(self.path()?);
        command.arg(first_word());
        Ok(command)
    }
}

/// Whether a path is a file that somebody may execute.
fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// A program of Saltus is missing.
#[derive(Debug)]
struct NotInstalled {
    program: Program,
    /// The file of this program.
    beside: PathBuf,
}

impl fmt::Display for NotInstalled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, beside) = (self.program.file_name(), self.beside.display());
        let built = self.program.built_by();
        write!(
            f,
            "the program {name} is neither beside {beside} nor in PATH; in the source tree of Saltus {built}"
        )
    }
}

impl std::error::Error for NotInstalled {}

/// Returns the words of this program's command line, without the word that another program of Saltus has added.
///
/// # Errors
///
/// Returns an error if a program of another version has started this one.
pub fn own_words() -> Result<Vec<OsString>, Error> {
    checked(env::args_os().collect())
}

fn checked(mut words: Vec<OsString>) -> Result<Vec<OsString>, Error> {
    let caller = words.get(1).and_then(|word| word.to_str()?.strip_prefix(STARTED_BY)).map(str::to_owned);
    match caller {
        Some(caller) if caller != *VERSION => {
            let own = words.first().cloned().unwrap_or_default();
            let own = Path::new(&own).display();
            Err(format!(
                "{own} is of version {}, but the program that has started it is of version {caller}; install both from the \
                 same build",
                *VERSION
            )
            .into())
        }
        Some(_) => {
            words.remove(1);
            Ok(words)
        }
        None => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_added_word_is_left_out() {
        let typed = ["saltus", "launch", "--started-by"].map(str::to_owned);
        let words = [&typed[..1], &[first_word()], &typed[1..]].concat();
        assert_eq!(without_first_word(words), typed);
    }

    #[test]
    fn a_program_is_found_in_the_first_folder_that_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
        for folder in [&first, &second] {
            fs::create_dir(folder).unwrap();
        }
        let find = || Program::Bench.find([first.clone(), second.clone()].into_iter());
        assert_eq!(find(), None);
        let write = |folder: &Path, mode| {
            let path = folder.join("saltus-bench");
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        };
        write(&first, 0o644);
        write(&second, 0o755);
        assert_eq!(find(), Some(second.join("saltus-bench")), "a file that is not executable is left out");
        write(&first, 0o755);
        assert_eq!(find(), Some(first.join("saltus-bench")));
    }

    #[test]
    fn the_version_of_the_caller_is_checked_and_removed() {
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let own = first_word();
        assert_eq!(checked(words(&["bench", &own, "topic"])).unwrap(), words(&["bench", "topic"]));
        assert_eq!(checked(words(&["bench", "topic"])).unwrap(), words(&["bench", "topic"]));
        let error =
            checked(words(&["/opt/saltus-bench", "--started-by=0.0.9+layout1", "topic"])).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("/opt/saltus-bench") && text.contains("0.0.9+layout1"), "{text}");
        assert!(text.contains(&**VERSION), "{text}");
    }
}
