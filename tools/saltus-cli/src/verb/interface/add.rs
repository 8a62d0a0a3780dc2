//! `saltus interface add`

mod known;

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    fs::{self, File, TryLockError},
    io::{self, ErrorKind, Write},
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    process::{self, Command},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use saltus::types::lock;
use saltus_catalog::{Catalog, CatalogError, DefinitionName, InterfaceFolder, user_folder};
use saltus_host::{Signals, on_termination};
use saltus_idl::TypeName;
use saltus_verb::{
    error::{Ended, Error},
    output::tell,
};

/// Returns the end of the help.
pub(super) fn help() -> String {
    let names: Vec<&str> = known::PACKAGES.iter().map(|package| package.name).collect();
    let lines = names.chunks(5).map(|names| format!("  {}", names.join(", ")));
    let lines: Vec<String> = lines.collect();
    format!(
        "Examples:\n  saltus interface add vision_msgs\n  \
         saltus interface add https://github.com/PX4/px4_msgs --branch release/1.16\n  \
         saltus interface add ~/ros2_ws/src/my_msgs --to interfaces\n\n\
         Names that are known:\n{}",
        lines.join(",\n")
    )
}

/// Adds the packages of interfaces of some sources to a folder.
pub(super) fn add(sources: &[String], to: Option<PathBuf>, branch: Option<&str>) -> Result<(), Error> {
    let without_home = "neither XDG_DATA_HOME nor HOME is set; give a folder with `--to FOLDER`";
    let to = to.or_else(user_folder).ok_or(without_home)?;
    let to = std::path::absolute(to)?;
    let sources = sources.iter().map(|source| Source::find(source, branch)).collect::<Result<Vec<_>, _>>()?;
    let staging = Staging::create(&to)?;
    let mut packages = BTreeMap::new();
    for (index, source) in sources.iter().enumerate() {
        let folder = match source {
            Source::Folder(folder) => folder.clone(),
            Source::Git { address, branch } => {
                let clone = staging.folder.join(format!("clone{index}"));
                clone_to(&clone, address, branch.as_deref())?;
                clone
            }
        };
        packages.extend(staging.take(&folder)?);
    }
    check(&staging.packages(), &packages)?;
    staging.deliver(&to, &packages.keys().collect::<Vec<_>>())?;
    report(&to, &packages)
}

/// Where definitions come from.
enum Source {
    Folder(PathBuf),
    Git { address: String, branch: Option<String> },
}

impl Source {
    fn find(source: &str, branch: Option<&str>) -> Result<Self, Error> {
        let git = |address: &str, own: Option<&str>| Self::Git {
            address: address.into(),
            branch: branch.or(own).map(str::to_owned),
        };
        if Path::new(source).is_dir() {
            return Ok(Self::Folder(std::path::absolute(source)?));
        }
        if let Some(known) = known::PACKAGES.iter().find(|package| package.name == source) {
            return Ok(git(known.address, known.branch));
        }
        if source.contains(':') || source.ends_with(".git") {
            return Ok(git(source, None));
        }
        let names = known::PACKAGES.iter().map(|package| package.name);
        let meant = saltus_catalog::most_similar(source, names);
        let meant = meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        let text =
            format!("`{source}` is no folder, no address of a git repository and no known package{meant}");
        Err(Ended::Usage(text).into())
    }
}

/// The number of definitions of a package, by kind.
type Counts = BTreeMap<&'static str, Vec<DefinitionName>>;

/// A hidden folder beside the packages, in which they are prepared. It is removed at the end; what a killed process has left is
/// removed by the next one.
struct Staging {
    folder: PathBuf,
    /// The folder of the packages. Its lock lets one process at a time add packages to it.
    _locked: File,
}

/// The first characters of the names of these folders.
const STAGING: &str = ".saltus-interface-add-";

/// The first characters of the names of the packages in it that are being replaced.
const OLD: &str = "old-";

impl Staging {
    fn create(to: &Path) -> Result<Self, Error> {
        let cause = |cause: io::Error| format!("{}: {cause}", to.display());
        fs::create_dir_all(to).map_err(cause)?;
        let locked = File::open(to).map_err(cause)?;
        locked.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => format!("another process is adding packages to {}", to.display()),
            TryLockError::Error(error) => format!("can't lock {}: {error}", to.display()),
        })?;
        for entry in fs::read_dir(to).map_err(cause)?.flatten() {
            if entry.file_name().as_encoded_bytes().starts_with(STAGING.as_bytes()) {
                remove_left(&entry.path(), to).map_err(cause)?;
            }
        }
        let folder = to.join(format!("{STAGING}{}", process::id()));
        fs::create_dir_all(folder.join("packages")).map_err(cause)?;
        on_termination(Signals::ALL, interrupt)?;
        Ok(Self { folder, _locked: locked })
    }

    fn packages(&self) -> PathBuf {
        self.folder.join("packages")
    }

    /// Copies the definitions of all packages of a folder. Returns their names.
    fn take(&self, folder: &Path) -> Result<BTreeMap<String, Counts>, Error> {
        let mut roots = Vec::new();
        find_packages(folder, DEPTH, &mut roots);
        if roots.is_empty() {
            roots.push(folder.into());
        }
        let mut packages: BTreeMap<String, Counts> = BTreeMap::new();
        for root in roots {
            let root = match InterfaceFolder::new(root) {
                Ok(root) => root,
                Err(error) => {
                    tell!("WARNING: {error}; this package is left out");
                    continue;
                }
            };
            for listed in root.list() {
                go_on()?;
                self.copy(&root, &listed)?;
                let of_package = packages.entry(listed.package.clone()).or_default();
                of_package.entry(listed.kind).or_default().push(listed);
            }
        }
        match packages.is_empty() {
            true => Err(format!("{} has no packages with definitions", folder.display()).into()),
            false => Ok(packages),
        }
    }

    /// Copies the file of a definition, and the manifest of its package, which names the licence.
    fn copy(&self, root: &InterfaceFolder, listed: &DefinitionName) -> Result<(), Error> {
        let name = TypeName::new(&listed.package, listed.kind, &listed.name);
        let Some(file) = root.file(&name) else { return Ok(()) };
        let package = self.packages().join(&listed.package);
        let kind = package.join(listed.kind);
        fs::create_dir_all(&kind)?;
        let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or(listed.kind);
        let cause = |cause: io::Error| format!("{}: {cause}", file.display());
        fs::copy(&file, kind.join(format!("{}.{extension}", listed.name))).map_err(cause)?;
        let manifest = root.path().join("package.xml");
        if manifest.is_file() && !package.join("package.xml").exists() {
            fs::copy(manifest, package.join("package.xml"))?;
        }
        Ok(())
    }

    /// Moves the packages to their folder. A package that is there already is replaced.
    fn deliver(&self, to: &Path, packages: &[&String]) -> Result<(), Error> {
        if let Some(target) = packages.iter().map(|package| to.join(package)).find(|to| !is_replaceable(to)) {
            let text =
                "has other files than definitions, so it is not replaced; choose another folder with --to";
            return Err(format!("{} {text}", target.display()).into());
        }
        for package in packages {
            let (target, old) = (to.join(package), self.folder.join(format!("{OLD}{package}")));
            let cause = |cause: io::Error| format!("{}: {cause}", target.display());
            let is_replaced = match fs::rename(&target, &old) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(cause(error).into()),
                result => result.is_ok(),
            };
            if let Err(error) = fs::rename(self.packages().join(package), &target) {
                if is_replaced {
                    fs::rename(&old, &target).map_err(cause)?;
                }
                return Err(cause(error).into());
            }
        }
        Ok(())
    }
}

/// Removes the folder of a process that was killed. A package goes back that it had taken away and not replaced yet.
fn remove_left(folder: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)?.flatten() {
        let name = entry.file_name();
        let Some(package) = name.to_str().and_then(|name| name.strip_prefix(OLD)) else { continue };
        if !to.join(package).exists() {
            fs::rename(entry.path(), to.join(package))?;
        }
    }
    fs::remove_dir_all(folder)
}

/// Whether there is no such folder, or one that has only what this verb has put there.
fn is_replaceable(package: &Path) -> bool {
    let own = ["package.xml", "msg", "srv", "action"];
    let mut entries = fs::read_dir(package).into_iter().flatten().flatten();
    entries.all(|entry| own.iter().any(|name| entry.file_name() == *name))
}

impl Drop for Staging {
    fn drop(&mut self) {
        // What can't be removed is only hidden files.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The number of folders between a source and a package.
const DEPTH: usize = 4;

/// Finds the roots of packages: the folders that have a manifest.
fn find_packages(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    if folder.join("package.xml").is_file() {
        return found.push(folder.into());
    }
    let Some(depth) = depth.checked_sub(1) else { return };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut paths: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
    paths.retain(|path| path.file_name().is_some_and(|name| !name.as_encoded_bytes().starts_with(b".")));
    paths.sort();
    paths.iter().for_each(|path| find_packages(path, depth, found));
}

/// Gets the newest state of a git repository. git shows its own progress.
fn clone_to(folder: &Path, address: &str, branch: Option<&str>) -> Result<(), Error> {
    tell!("Cloning {address}{}", branch.map_or_else(String::new, |branch| format!(", branch {branch}")));
    let mut git = Command::new("git");
    // A link in a repository must not lead to other files of the user.
    git.args(["-c", "core.symlinks=false", "clone", "--quiet", "--progress", "--depth", "1"]);
    if let Some(branch) = branch {
        git.args(["--branch", branch]);
    }
    let child = git.args(["--", address]).arg(folder).spawn();
    let mut child = child.map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            "git is not installed; install it, or give a folder with the definitions".to_owned()
        }
        _ => format!("git: {error}"),
    })?;
    // The number of the process could belong to another one after the end of git. A descriptor can't.
    let descriptor = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).inspect_err(|_| {
        // An error means that it has ended.
        let _ = child.kill().and_then(|()| child.wait());
    });
    *lock(&GIT) = Some(descriptor?);
    if go_on().is_err() {
        interrupt(false);
    }
    let status = child.wait()?;
    go_on()?;
    if status.success() { Ok(()) } else { Err(format!("git could not clone {address}").into()) }
}

/// Whether Ctrl-C was pressed.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The process of git that was started last.
static GIT: Mutex<Option<OwnedFd>> = Mutex::new(None);

/// Ends git, so that this program goes on, removes its files and ends.
fn interrupt(_is_handled: bool) {
    INTERRUPTED.store(true, Ordering::Release);
    if let Some(git) = &*lock(&GIT) {
        // An error means that it has ended.
        let _ = pidfd_send_signal(git, Signal::TERM);
    }
}

/// Returns an error after Ctrl-C.
fn go_on() -> Result<(), Ended> {
    if INTERRUPTED.load(Ordering::Acquire) { Err(Ended::Interrupted) } else { Ok(()) }
}

/// Checks that all definitions are valid. Tells which packages are missing.
///
/// # Errors
/// Returns an error if a definition is invalid, or refers to a type that its package should have.
fn check(staged: &Path, packages: &BTreeMap<String, Counts>) -> Result<(), Error> {
    let (mut catalog, _) = Catalog::from_environment();
    catalog.add_folder(InterfaceFolder::new(staged.into())?);
    let known: BTreeSet<String> = catalog.list().into_iter().map(|listed| listed.package).collect();
    let mut missing: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (package, counts) in packages {
        for listed in counts.values().flatten() {
            go_on()?;
            match catalog.typed(&listed.full_name()) {
                Ok(_) => {}
                Err(CatalogError::Unknown { name, user, similar }) => match name.split('/').next() {
                    Some(other) if !known.contains(other) => {
                        missing.entry(other.to_owned()).or_default().insert(package);
                    }
                    _ => return Err(CatalogError::Unknown { name, user, similar }.into()),
                },
                Err(error) => return Err(error.into()),
            }
        }
    }
    for (package, users) in missing {
        let users: Vec<&str> = users.into_iter().collect();
        let is_known = known::PACKAGES.iter().any(|known| known.name == package);
        let fix =
            if is_known { format!("; add it with `saltus interface add {package}`") } else { String::new() };
        tell!("WARNING: the package {package}, which {} uses, is not known{fix}", users.join(", "));
    }
    Ok(())
}

/// Prints what was added, and what it takes to use it.
fn report(to: &Path, packages: &BTreeMap<String, Counts>) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    for (package, counts) in packages {
        let count = |kind| counts.get(kind).map_or(0, Vec::len);
        let (messages, services, actions) = (count("msg"), count("srv"), count("action"));
        writeln!(out, "Added {package}: messages: {messages}, services: {services}, actions: {actions}")?;
    }
    let is_searched =
        |folder: &InterfaceFolder| std::path::absolute(folder.path()).is_ok_and(|path| path == to);
    if !Catalog::from_environment().0.folders().iter().any(is_searched) {
        let others = env::var("SALTUS_INTERFACE_PATH").ok().filter(|path| !path.is_empty());
        let others = others.map_or_else(String::new, |path| format!(":{path}"));
        writeln!(out, "To use them: export SALTUS_INTERFACE_PATH={}{others}", to.display())?;
    }
    Ok(())
}
