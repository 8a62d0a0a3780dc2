//! The programs and libraries that are measured.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::Stdio,
};

use rustix::fs::{Advice, fadvise};

use crate::{error::RunError, process::saltus_command};

/// The sources of the components, in the working tree.
const PACKAGE: &str = "bench/saltus-bench-traffic";
/// Where they are installed, in the folder of builds.
const PREFIX: &str = "target/bench-prefix";

/// Builds the components and installs them. Returns the prefix.
pub(super) fn install() -> Result<PathBuf, RunError> {
    if !Path::new(PACKAGE).join("Cargo.toml").is_file() {
        let text = format!("{PACKAGE} is missing; run this in the working tree of Saltus");
        return Err(RunError::Failed("the component".into(), text));
    }
    let failed = |error| RunError::Start(PREFIX.into(), error);
    let mut install = saltus_command()?;
    eprintln!("installing {PACKAGE} into {PREFIX}");
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

/// Makes the system read the libraries of these prefixes from the disk again, as after a boot.
pub(super) fn forget_libraries(prefixes: Vec<PathBuf>) -> Result<(), String> {
    let folders = prefixes.into_iter().map(|prefix| prefix.join("lib")).filter(|folder| folder.is_dir());
    folders
        .into_iter()
        .try_for_each(|folder| forget_all(&folder).map_err(|error| format!("{}: {error}", folder.display())))
}

fn forget_all(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        // A link to a folder may lead back to this one. What it names is also found without it.
        if entry.file_type()?.is_dir() {
            forget_all(&path)?;
        } else if path.is_file() {
            forget(&path)?;
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
