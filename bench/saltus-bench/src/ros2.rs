//! The sourced ROS 2 environment: its middlewares and its programs.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    str::FromStr,
};

/// The package of `bench/peers/ros2`.
pub(crate) const PACKAGE: &str = "saltus_bench_ros2";

/// A middleware under ROS 2, with its defaults or tuned for large messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rmw {
    /// Fast DDS.
    FastDds,
    /// Fast DDS with a shared-memory segment of 32 MB instead of 512 KB.
    FastDdsTuned,
    /// Cyclone DDS.
    CycloneDds,
    /// Cyclone DDS with messages of 65,500 bytes and fragments of 64,000 bytes.
    CycloneDdsTuned,
}

impl Rmw {
    const ALL: [Self; 4] = [Self::FastDds, Self::FastDdsTuned, Self::CycloneDds, Self::CycloneDdsTuned];

    /// Returns the name in tables.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::FastDds => "fastdds",
            Self::FastDdsTuned => "fastdds-shm32",
            Self::CycloneDds => "cyclonedds",
            Self::CycloneDdsTuned => "cyclonedds-64k",
        }
    }

    /// Returns the package that implements ROS 2's middleware interface.
    const fn package(self) -> &'static str {
        match self {
            Self::FastDds | Self::FastDdsTuned => "rmw_fastrtps_cpp",
            Self::CycloneDds | Self::CycloneDdsTuned => "rmw_cyclonedds_cpp",
        }
    }

    /// Returns the environment variables that select it. `peers` is the folder `bench/peers`.
    ///
    /// Returns an error if the file with its settings is missing, because its defaults would be measured then.
    pub(crate) fn environment(self, peers: &Path) -> Result<Vec<(&'static str, OsString)>, String> {
        let file = |name: &str| {
            let path = peers.join("ros2").join(name);
            let found = path.canonicalize().map_err(|error| format!("{}: {error}", path.display()));
            found.map(PathBuf::into_os_string)
        };
        let mut all = vec![("RMW_IMPLEMENTATION", OsString::from(self.package()))];
        match self {
            Self::FastDdsTuned => all.push(("FASTRTPS_DEFAULT_PROFILES_FILE", file("fastdds-shm32.xml")?)),
            Self::CycloneDdsTuned => {
                let mut uri = OsString::from("file://");
                uri.push(file("cyclonedds-64k.xml")?);
                all.push(("CYCLONEDDS_URI", uri));
            }
            Self::FastDds | Self::CycloneDds => {}
        }
        Ok(all)
    }

    /// Returns an error unless a sourced ROS 2 environment has the package.
    pub(crate) fn find(self) -> Result<(), String> {
        let library = format!("lib/lib{}.so", self.package());
        let found = prefixes()?.iter().any(|prefix| prefix.join(&library).is_file());
        if found {
            Ok(())
        } else {
            Err(format!("{} is not in the sourced ROS 2 environment", self.package()))
        }
    }
}

impl FromStr for Rmw {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Self::ALL.map(Self::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|rmw| rmw.name() == text)
            .ok_or_else(|| format!("expected one of {}", names()))
    }
}

/// Returns the folders of the sourced ROS 2 environment.
pub(crate) fn prefixes() -> Result<Vec<PathBuf>, String> {
    let prefixes = std::env::var_os("AMENT_PREFIX_PATH")
        .ok_or("no ROS 2 environment is sourced (AMENT_PREFIX_PATH is not set)")?;
    Ok(std::env::split_paths(&prefixes).collect())
}

/// Finds a program of a package in the sourced ROS 2 environment, if that has the middleware, too.
pub(crate) fn find(package: &str, program: &str, rmw: Rmw) -> Result<PathBuf, String> {
    rmw.find()?;
    let path = |prefix: &PathBuf| prefix.join("lib").join(package).join(program);
    let found = prefixes()?.iter().map(path).find(|program| program.is_file());
    let advice = if package == PACKAGE {
        "; build bench/peers/ros2 with colcon, and source its workspace"
    } else {
        ""
    };
    found.ok_or_else(|| format!("{package} has no program {program}{advice}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_middleware_is_found_by_its_name() {
        assert!(Rmw::ALL.iter().all(|rmw| rmw.name().parse() == Ok(*rmw)));
        assert!("zenoh".parse::<Rmw>().unwrap_err().contains("fastdds-shm32"));
    }
}
