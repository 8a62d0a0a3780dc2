//! Installs a package that CMake builds.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use saltus_package::{Language, PackagePath, Prefix};
use saltus_verb::{
    error::Error,
    packages::{run, with_libraries},
};

use super::files;

/// The package without which no package of ROS 2 is built.
const TOOL: &str = "ament_cmake";

/// Installs a package. Returns a text that says what was installed.
pub(super) fn install(folder: &Path, name: &str, prefix: &Prefix, debug: bool) -> Result<String, Error> {
    let path = PackagePath::from_environment();
    let prefixes = prefixes(prefix, &path);
    if !prefixes.iter().any(|prefix| Prefix::new(prefix.clone()).has(TOOL)) {
        return Err(
            "packages in C++ need the C++ packages of Saltus: add their prefix to AMENT_PREFIX_PATH \
                    (`source PREFIX/setup.bash`); `make cpp` in the source tree of Saltus builds them"
                .into(),
        );
    }
    let _lock = files::lock(prefix)?;
    let build = prefix.path().join("build/cmake").join(name);
    remove_if_of_another(&build, folder)?;
    let kind = if debug { "Debug" } else { "Release" };
    let mut configure = cmake(&prefixes, &path)?;
    configure.arg("-S").arg(folder).arg("-B").arg(&build).arg(format!("-DCMAKE_BUILD_TYPE={kind}"));
    configure.arg(format!("-DCMAKE_INSTALL_PREFIX={}", prefix.path().display()));
    run(configure.args(["-DBUILD_TESTING=OFF", "--no-warn-unused-cli"]))?;
    let jobs = thread::available_parallelism().map_or(1, usize::from).to_string();
    run(cmake(&prefixes, &path)?.arg("--build").arg(&build).args(["--parallel", &jobs]))?;
    run(cmake(&prefixes, &path)?.arg("--install").arg(&build))?;
    if !prefix.has(name) {
        // A package that does not call ament_package() is not in the index.
        prefix.register(name, &[])?;
    }
    Ok(format!(
        "{name} ({} components, {} programs)",
        components(prefix, name)?,
        prefix.executables(name).len()
    ))
}

/// Returns the prefixes in which other packages are searched: the one that is installed into, and those of the environment.
fn prefixes(prefix: &Prefix, path: &PackagePath) -> Vec<PathBuf> {
    let all = std::iter::once(prefix).chain(path.prefixes().iter().filter(|other| *other != prefix));
    all.map(|prefix| prefix.path().to_owned()).collect()
}

/// Returns a command that runs CMake, which finds the packages of these prefixes.
fn cmake(prefixes: &[PathBuf], path: &PackagePath) -> Result<Command, Error> {
    let mut command = Command::new("cmake");
    for variable in ["CMAKE_PREFIX_PATH", "AMENT_PREFIX_PATH"] {
        let before = env::var_os(variable).unwrap_or_default();
        let others = env::split_paths(&before).filter(|other| !other.as_os_str().is_empty());
        let mut all = prefixes.to_vec();
        all.extend(others.filter(|other| !prefixes.contains(other)));
        let joined: OsString = env::join_paths(all)
            .map_err(|error| format!("the name of a prefix can't be part of {variable}: {error}"))?;
        command.env(variable, joined);
    }
    Ok(with_libraries(command, path))
}

/// Removes a build folder if it is that of a package in another folder: CMake would refuse it.
fn remove_if_of_another(build: &Path, folder: &Path) -> Result<(), Error> {
    let Ok(cache) = fs::read_to_string(build.join("CMakeCache.txt")) else { return Ok(()) };
    let home = cache.lines().find_map(|line| line.strip_prefix("CMAKE_HOME_DIRECTORY:INTERNAL="));
    let is_other = |home: &str| fs::canonicalize(home).ok() != fs::canonicalize(folder).ok();
    if home.is_some_and(is_other) {
        fs::remove_dir_all(build).map_err(|error| format!("can't remove {}: {error}", build.display()))?;
    }
    Ok(())
}

fn components(prefix: &Prefix, name: &str) -> Result<usize, Error> {
    let all = prefix.components(name)?.unwrap_or_default();
    Ok(all.iter().filter(|entry| entry.language == Language::Cpp).count())
}
