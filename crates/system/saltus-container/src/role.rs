//! The roles of the program, as words of the command line.

use std::{fmt, path::PathBuf, str::FromStr, time::Duration};

use saltus_package::PackagePath;

/// The program that runs components in Python. It takes the words of the same roles.
pub const PYTHON_PROGRAM: [&str; 3] = ["python3", "-m", "saltus.component_container"];

/// Returns the program that runs components in C++, which takes the words of the same roles. It is in the prefix of the C++
/// packages; the `rclcpp_components` of a ROS 2 installation does not have it.
pub fn cpp_program(path: &PackagePath) -> Option<PathBuf> {
    let programs = path.prefixes().iter().map(|prefix| prefix.programs("rclcpp_components"));
    programs.map(|folder| folder.join("saltus_components")).find(|program| program.is_file())
}

/// A role of the program. The command `saltus` writes it as words, and the program reads them.
///
/// ```
/// use saltus_container::{Container, Role};
/// let words = Role::Container(Container::Isolated { threads: 2 }).words();
/// assert_eq!(words, ["container", "isolated", "2"]);
/// assert_eq!(Role::parse(&words)?, Role::Container(Container::Isolated { threads: 2 }));
/// # Ok::<(), saltus_container::ParseRoleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Runs a container.
    Container(Container),
    /// Runs one component, with the arguments of the program.
    Alone {
        /// The package of the component.
        package: String,
        /// Its plugin name.
        plugin: String,
    },
    /// Runs one component for a container. The standard input is connected to the container.
    Worker {
        /// The number of threads that run its callbacks.
        threads: usize,
        /// The number of restarts so far. It has no effect. Tools that list processes show it.
        restarts: u64,
    },
    /// Prints the plugin names of the components in a library.
    List(PathBuf),
}

/// The threads or processes in which a container runs its components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// On the thread of the container.
    Single,
    /// On the threads of the container. `None` is the value of the parameter `thread_num`.
    MultiThreaded {
        /// The number of threads.
        threads: Option<usize>,
    },
    /// Each component on threads of its own.
    Isolated {
        /// The number of threads of a component.
        threads: usize,
    },
    /// Each component in a process of its own.
    CrashIsolated {
        /// The number of threads of a component.
        threads: usize,
        /// The restarts of the process of a component.
        restart: Restart,
    },
}

/// The cases in which the process of a component is started again after it has ended, and the delays before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restart {
    /// The cases in which it is started again.
    pub policy: RestartPolicy,
    /// The delay before the first restart. Each further delay is twice as long.
    pub backoff: Duration,
    /// The longest delay. After a process has run for this time, the next delay is `backoff` again.
    pub max_backoff: Duration,
}

impl Default for Restart {
    fn default() -> Self {
        let (backoff, max_backoff) = (Duration::from_millis(100), Duration::from_secs(10));
        Self { policy: RestartPolicy::OnFailure, backoff, max_backoff }
    }
}

/// The cases in which the process of a component is started again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestartPolicy {
    /// Never.
    Never,
    /// If a signal has ended it, or if its exit status is not 0.
    OnFailure,
    /// Whenever it has ended.
    Always,
}

impl fmt::Display for RestartPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Never => "never",
            Self::OnFailure => "on-failure",
            Self::Always => "always",
        })
    }
}

impl FromStr for RestartPolicy {
    type Err = ParseRoleError;

    fn from_str(text: &str) -> Result<Self, ParseRoleError> {
        match text {
            "never" => Ok(Self::Never),
            "on-failure" => Ok(Self::OnFailure),
            "always" => Ok(Self::Always),
            _ => Err(ParseRoleError(text.into())),
        }
    }
}

/// The words are not a role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a role of this program, which `saltus` starts")]
pub struct ParseRoleError(String);

impl Role {
    /// Returns the words for the command line.
    pub fn words(&self) -> Vec<String> {
        match self {
            Self::Container(container) => [vec!["container".into()], container.words()].concat(),
            Self::Alone { package, plugin } => vec!["alone".into(), package.clone(), plugin.clone()],
            Self::Worker { threads, restarts } => {
                vec!["worker".into(), threads.to_string(), restarts.to_string()]
            }
            Self::List(library) => vec!["list".into(), library.display().to_string()],
        }
    }

    /// Reads the words of a command line, without the name of the program. Words after those of the role are ignored.
    ///
    /// # Errors
    ///
    /// Returns an error if the words are not a role.
    pub fn parse<S: AsRef<str>>(words: &[S]) -> Result<Self, ParseRoleError> {
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        let read = match words[..] {
            ["container", ref words @ ..] => Container::parse(words).map(Self::Container),
            ["alone", package, plugin, ..] => {
                Some(Self::Alone { package: package.into(), plugin: plugin.into() })
            }
            ["worker", threads, restarts, ..] => {
                let (threads, restarts) = (threads.parse().ok(), restarts.parse().ok());
                threads.zip(restarts).map(|(threads, restarts)| Self::Worker { threads, restarts })
            }
            ["list", library, ..] => Some(Self::List(library.into())),
            _ => None,
        };
        read.ok_or_else(|| ParseRoleError(words.join(" ")))
    }
}

impl Container {
    fn words(self) -> Vec<String> {
        let words = match self {
            Self::Single => return vec!["single".into()],
            Self::MultiThreaded { threads: None } => return vec!["mt".into()],
            Self::MultiThreaded { threads: Some(threads) } => return vec!["mt".into(), threads.to_string()],
            Self::Isolated { threads } => return vec!["isolated".into(), threads.to_string()],
            Self::CrashIsolated { threads, restart } => (threads, restart),
        };
        let (threads, Restart { policy, backoff, max_backoff }) = words;
        let millis = |time: Duration| time.as_millis().to_string();
        vec![
            "crash-isolated".into(),
            threads.to_string(),
            policy.to_string(),
            millis(backoff),
            millis(max_backoff),
        ]
    }

    fn parse(words: &[&str]) -> Option<Self> {
        let millis = |text: &str| text.parse().ok().map(Duration::from_millis);
        Some(match *words {
            ["single", ..] => Self::Single,
            ["isolated", threads, ..] => Self::Isolated { threads: threads.parse().ok()? },
            ["crash-isolated", threads, policy, backoff, max_backoff, ..] => {
                let (backoff, max_backoff) = (millis(backoff)?, millis(max_backoff)?);
                let restart = Restart { policy: policy.parse().ok()?, backoff, max_backoff };
                Self::CrashIsolated { threads: threads.parse().ok()?, restart }
            }
            ["mt", threads, ..] if !threads.starts_with('-') => {
                Self::MultiThreaded { threads: Some(threads.parse().ok()?) }
            }
            ["mt", ..] => Self::MultiThreaded { threads: None },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_written() {
        let restart = Restart { policy: RestartPolicy::Always, ..Restart::default() };
        let roles = [
            Role::Container(Container::Single),
            Role::Container(Container::MultiThreaded { threads: None }),
            Role::Container(Container::MultiThreaded { threads: Some(3) }),
            Role::Container(Container::Isolated { threads: 1 }),
            Role::Container(Container::CrashIsolated { threads: 2, restart }),
            Role::Alone { package: "demo".into(), plugin: "demo::Talker".into() },
            Role::Worker { threads: 1, restarts: 3 },
            Role::List("/opt/libdemo.so".into()),
        ];
        for role in roles {
            let mut words = role.words();
            assert_eq!(Role::parse(&words), Ok(role.clone()));
            words.push("--ros-args".into());
            assert_eq!(Role::parse(&words), Ok(role));
        }
    }

    #[test]
    fn other_words_are_an_error() {
        for words in
            [&[][..], &["container"], &["container", "isolated"], &["worker", "1"], &["alone", "demo"]]
        {
            assert!(Role::parse(words).is_err(), "{words:?}");
        }
    }
}
