//! What rclcpp runs on: Saltus, or a middleware of ROS 2.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    str::FromStr,
};

use crate::ros2::{self, Rmw};

/// The folder of the peers, in the working tree.
pub(super) const PEERS: &str = "bench/peers";
/// The C++ packages of Saltus, and what is built with them, in the working tree.
const SALTUS: [&str; 2] = ["target/cpp/bench/install", "target/cpp/install"];

/// What rclcpp runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Middleware {
    /// The C++ packages of Saltus.
    Saltus,
    /// A middleware of the sourced ROS 2 environment.
    Ros2(Rmw),
}

impl Middleware {
    /// Returns the name in tables.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Saltus => "saltus",
            Self::Ros2(rmw) => rmw.name(),
        }
    }

    /// Returns how its executors wait.
    pub(super) const fn wait(self) -> &'static str {
        match self {
            Self::Saltus => "adaptive",
            Self::Ros2(_) => "block",
        }
    }

    /// Returns the folders with its packages.
    pub(super) fn prefixes(self) -> Result<Vec<PathBuf>, String> {
        let built = |folder: &str| {
            let found = Path::new(folder).canonicalize();
            found.map_err(|error| format!("{folder}: {error}; build it with `make bench-cpp`"))
        };
        match self {
            Self::Saltus => SALTUS.into_iter().map(built).collect(),
            Self::Ros2(_) => ros2::prefixes(),
        }
    }

    /// Finds a program of a package.
    pub(super) fn find(self, package: &str, program: &str) -> Result<PathBuf, String> {
        if let Self::Ros2(rmw) = self {
            return ros2::find(package, program, rmw);
        }
        let path = |prefix: &PathBuf| prefix.join("lib").join(package).join(program);
        let found = self.prefixes()?.iter().map(path).find(|program| program.is_file());
        found.ok_or_else(|| format!("{package} has no program {program}; build it with `make bench-cpp`"))
    }

    /// Returns the environment variables of its programs.
    pub(super) fn environment(self) -> Result<Vec<(&'static str, OsString)>, String> {
        if let Self::Ros2(rmw) = self {
            return rmw.environment(Path::new(PEERS));
        }
        let prefixes = self.prefixes()?;
        let joined = |folders: Vec<PathBuf>| env::join_paths(folders).map_err(|error| error.to_string());
        let libraries = prefixes.iter().map(|prefix| prefix.join("lib")).collect();
        Ok(vec![("AMENT_PREFIX_PATH", joined(prefixes)?), ("LD_LIBRARY_PATH", joined(libraries)?)])
    }
}

impl FromStr for Middleware {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "saltus" {
            return Ok(Self::Saltus);
        }
        let rmw = text.parse().map_err(|error| format!("{error}, or saltus"))?;
        Ok(Self::Ros2(rmw))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_middleware_is_found_by_its_name() {
        assert_eq!("saltus".parse(), Ok(Middleware::Saltus));
        assert_eq!("fastdds".parse(), Ok(Middleware::Ros2(Rmw::FastDds)));
        assert!("zenoh".parse::<Middleware>().unwrap_err().ends_with("or saltus"));
    }
}
