//! Copies the files of a package that are not built.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use saltus_package::Prefix;

use saltus_verb::error::Error;

/// The folders of a package that are copied into the folder for its shared files.
const FOLDERS: [&str; 4] = ["launch", "config", "params", "urdf"];
/// The kinds of interface definitions.
const KINDS: [&str; 3] = ["msg", "srv", "action"];

/// Waits until no other process installs into the prefix. The lock ends when the file is closed.
pub(super) fn lock(prefix: &Prefix) -> Result<File, Error> {
    let folder = prefix.path().join("build");
    let open = || {
        fs::create_dir_all(&folder)?;
        File::create(folder.join("lock"))
    };
    let file = open().map_err(|error| format!("can't write into {}: {error}", folder.display()))?;
    if file.try_lock().is_err() {
        writeln!(io::stderr(), "Another process installs into {}; waiting for it", prefix.path().display())?;
        file.lock()?;
    }
    Ok(file)
}

/// Installs the shared files and the interfaces of a package.
pub(super) fn install(source: &Path, package: &str, prefix: &Prefix) -> Result<(), Error> {
    let share = prefix.share(package);
    copy_folder(&source.join("share"), &share)?;
    for folder in FOLDERS {
        copy_folder(&source.join(folder), &share.join(folder))?;
    }
    let manifest = source.join("package.xml");
    if manifest.is_file() {
        copy_file(&manifest, &share.join("package.xml"))?;
    }
    for interfaces in folders(&source.join("interfaces"))? {
        let name = interfaces.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for kind in KINDS {
            copy_folder(&interfaces.join(kind), &prefix.share(&name).join(kind))?;
        }
        if name != package {
            prefix.register(&name, &[])?;
        }
    }
    Ok(())
}

/// Returns the folders in a folder. If it does not exist, there are none.
fn folders(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).map_err(|error| failed("read", folder, &error))?;
    Ok(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect())
}

/// Copies a folder and everything in it. If it does not exist, nothing is copied.
fn copy_folder(from: &Path, to: &Path) -> Result<(), Error> {
    if !from.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(from).map_err(|error| failed("read", from, &error))?.flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        // A link to a folder could lead back into this folder.
        match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            true => copy_folder(&path, &target)?,
            false if path.is_file() => copy_file(&path, &target)?,
            false => {}
        }
    }
    Ok(())
}

/// Copies a file. A process that uses the old file keeps the old content.
pub(super) fn copy_file(from: &Path, to: &Path) -> Result<(), Error> {
    let folder = to.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| failed("create", folder, &error))?;
    let name = to.file_name().unwrap_or_default().to_string_lossy();
    let new = folder.join(format!(".{name}.{}", std::process::id()));
    let copied = fs::copy(from, &new).and_then(|_| fs::rename(&new, to));
    copied.map_err(|error| {
        // The error of the copy is what the user must know.
        let _ = fs::remove_file(&new);
        failed("write", to, &error)
    })
}

/// Writes a file, unless it has this text already, so that nothing is built again.
pub(super) fn write(path: &Path, text: &str) -> Result<(), Error> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, text));
    written.map_err(|error| failed("write", path, &error))
}

fn failed(what: &str, path: &Path, error: &io::Error) -> Error {
    format!("can't {what} {}: {error}", path.display()).into()
}
