//! The programs and libraries that are measured.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use rustix::fs::{Advice, fadvise};

use crate::{error::RunError, ros2::prefixes};

/// The sources of the components, in the working tree.
const PACKAGE: &str = "bench/traffic";
/// Where they are installed, in the folder of builds.
const PREFIX: &str = "target/bench-prefix";

/// Builds the components and installs them. Returns the prefix.
pub(super) fn install() -> Result<PathBuf, RunError> {
    if !Path::new(PACKAGE).join("Cargo.toml").is_file() {
        let text = format!("{PACKAGE} is missing; run this in the working tree of Saltus");
        return Err(RunError::Failed("the component".into(), text));
    }
    let failed = |error| RunError::Start(PREFIX.into(), error);
    let program = std::env::current_exe().map_err(failed)?;
    eprintln!("installing {PACKAGE} into {PREFIX}");
    let mut install = Command::new(program);
    let status = install.args(["install", PACKAGE, "--prefix", PREFIX]).stdout(Stdio::null()).status();
    let status = status.map_err(failed)?;
    if !status.success() {
        return Err(RunError::Failed("saltus install".into(), status.to_string()));
    }
    let prefix = std::path::absolute(PREFIX).map_err(failed)?;
    forget_all(&prefix.join("lib")).map_err(failed)?;
    Ok(prefix)
}

/// Copies this program into a folder.
pub(super) fn copy_of_this_program(folder: &Path) -> Result<PathBuf, RunError> {
    let copy = folder.join("saltus");
    let copied =
        std::env::current_exe().and_then(|program| fs::copy(program, &copy)).and_then(|_| forget(&copy));
    copied.map_err(|error| RunError::Start(copy.display().to_string(), error))?;
    Ok(copy)
}

/// Treats the libraries of the sourced ROS 2 environment as those of the components.
pub(super) fn forget_ros2() -> Result<(), RunError> {
    for prefix in prefixes().unwrap_or_default() {
        let folder = prefix.join("lib");
        forget_all(&folder).map_err(|error| RunError::Start(folder.display().to_string(), error))?;
    }
    Ok(())
}

fn forget_all(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.metadata() {
            Ok(data) if data.is_dir() => forget_all(&path)?,
            Ok(_) => forget(&path)?,
            // A symbolic link to nothing.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Makes the system read a file from the disk again, as after a boot. Of a file that was just written, it maps larger
/// pieces into processes, also those that nobody uses.
fn forget(path: &Path) -> io::Result<()> {
    let file = File::open(path)?;
    file.sync_all()?;
    Ok(fadvise(&file, 0, None, Advice::DontNeed)?)
}
