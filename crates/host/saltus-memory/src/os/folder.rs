//! The folder that holds the files of one user, or of one group of users.
//!
//! It lies in a directory where every user may write, normally `/dev/shm`. So the content of that directory is
//! untrusted:
//!
//! * The folder is opened once, and everything in it is opened by the folder's descriptor. If the effective user
//!   changes, or a path leads elsewhere, nothing changes for a process that has the folder open.
//! * It is used only if it belongs to the right user with mode 0700, or to the right group with mode 2770. So
//!   no other user can create, remove or open anything in it.
//! * Another user can take its usual name first. Then a name with a random end is used, and the other
//!   entry is reported ([`foreign_folders`]).
//! * Each file in it is checked again when it is opened: its type and its owner, and that it is no symbolic link.

use std::{
    fs::File,
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{
        AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, RenameFlags, Stat, Uid, chmodat, chownat, fchmod,
        fchown, fstat, mkdirat, mkfifoat, openat, renameat_with, statat, unlinkat,
    },
    io::Errno,
};

use super::random::random_id;

/// The version of everything that processes share: the member table, the segments and their content.
/// Processes of different versions use different folders. The test in `layout.rs` fails when a shared struct
/// changes and this version does not.
pub const LAYOUT: u32 = 9;

/// The number of times that opening the folder is tried again while other processes create and remove it.
const ATTEMPTS: u32 = 100;

/// The owner of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GraphOwner {
    /// Only processes with this effective user id take part.
    User(u32),
    /// All processes that are in this group take part, whatever their user is.
    Group(u32),
}

impl GraphOwner {
    /// Returns the effective user of this process as an owner.
    pub fn current_user() -> Self {
        Self::User(rustix::process::geteuid().as_raw())
    }

    /// Returns the usual name of the folder.
    pub fn folder_name(self) -> String {
        self.name_of_version(&LAYOUT.to_string())
    }

    fn name_of_version(self, version: &str) -> String {
        match self {
            Self::User(uid) => format!("saltus.v{version}.{uid}"),
            Self::Group(gid) => format!("saltus.v{version}.g{gid}"),
        }
    }

    fn folder_mode(self) -> Mode {
        match self {
            Self::User(_) => Mode::RWXU,
            Self::Group(_) => Mode::RWXU | Mode::RWXG | Mode::SGID,
        }
    }

    fn file_mode(self) -> Mode {
        match self {
            Self::User(_) => Mode::RUSR | Mode::WUSR,
            Self::Group(_) => Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::WGRP,
        }
    }

    /// Whether a file or folder belongs to the owner.
    fn owns(self, stat: &Stat) -> bool {
        match self {
            Self::User(uid) => stat.st_uid == uid,
            Self::Group(gid) => stat.st_gid == gid,
        }
    }

    fn check_owns(self, name: &str, stat: &Stat) -> io::Result<()> {
        if self.owns(stat) {
            return Ok(());
        }
        let found = format!("user {} and group {}", stat.st_uid, stat.st_gid);
        Err(refused(format!("{name} belongs to {found}, not to {self}")))
    }
}

impl std::fmt::Display for GraphOwner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::User(uid) => write!(f, "user {uid}"),
            Self::Group(gid) => write!(f, "group {gid}"),
        }
    }
}

/// Returns an error whose text begins with a name.
fn about(name: &dyn std::fmt::Display, error: Errno) -> io::Error {
    let error = io::Error::from(error);
    io::Error::new(error.kind(), format!("{name}: {error}"))
}

fn refused(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, reason)
}

/// An open folder.
#[derive(Debug)]
pub struct Folder {
    fd: OwnedFd,
    owner: GraphOwner,
    path: PathBuf,
}

impl Folder {
    /// Opens the folder of an owner in `root`; `None` if there is none.
    pub fn open(root: &Path, owner: GraphOwner) -> io::Result<Option<Self>> {
        let Some(name) = find(root, owner)? else { return Ok(None) };
        let path = root.join(name);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = match openat(CWD, &path, flags, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(about(&path.display(), error)),
            Ok(fd) => fd,
        };
        check_folder(&path, &fstat(&fd)?, owner)?;
        Ok(Some(Self { fd, owner, path }))
    }

    /// Opens the folder of an owner in `root`, and creates it if there is none.
    pub fn open_or_create(root: &Path, owner: GraphOwner) -> io::Result<Self> {
        for _ in 0..ATTEMPTS {
            if let Some(folder) = Self::open(root, owner)? {
                return Ok(folder);
            }
            create(root, owner)?;
        }
        Err(io::Error::other(format!(
            "can't open {}: other processes have removed it {ATTEMPTS} times",
            root.join(owner.folder_name()).display()
        )))
    }

    /// Returns the path of the folder when it was opened, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether opening the folder of its owner would open this folder.
    pub(crate) fn is_current(&self, root: &Path) -> io::Result<bool> {
        let Some(name) = find(root, self.owner)? else { return Ok(false) };
        match statat(CWD, root.join(name), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(same_file(&found, &fstat(&self.fd)?)),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Creates a regular file. Returns an error if the name exists.
    pub(crate) fn create(&self, name: &str) -> io::Result<File> {
        self.open_file(name, OFlags::CREATE | OFlags::EXCL)
    }

    /// Creates a regular file under the name `draft`, and renames it to `name` after `fill` has returned. So no process
    /// ever finds an incomplete file under `name`. Returns `false` if another process has taken the name.
    pub(crate) fn create_whole(
        &self,
        draft: &str,
        name: &str,
        fill: impl FnOnce(&File) -> io::Result<()>,
    ) -> io::Result<bool> {
        let named = self.create(draft).and_then(|file| fill(&file)).and_then(|()| {
            match renameat_with(&self.fd, draft, &self.fd, name, RenameFlags::NOREPLACE) {
                Err(Errno::EXIST) => Ok(false),
                other => Ok(other.map(|()| true)?),
            }
        });
        if !matches!(named, Ok(true)) {
            self.remove(draft);
        }
        named
    }

    /// Opens a regular file.
    pub(crate) fn open_existing(&self, name: &str) -> io::Result<File> {
        self.open_file(name, OFlags::empty())
    }

    fn open_file(&self, name: &str, create: OFlags) -> io::Result<File> {
        // Without NONBLOCK, opening a pipe of that name would wait.
        let flags = create | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let fd =
            openat(&self.fd, name, flags, self.owner.file_mode()).map_err(|error| about(&name, error))?;
        if create.contains(OFlags::EXCL) {
            self.give_to_owner(fd.as_fd())?;
        }
        self.check(name, &fd, FileType::RegularFile)?;
        Ok(fd.into())
    }

    /// Creates a named pipe.
    pub(crate) fn make_pipe(&self, name: &str) -> io::Result<()> {
        mkfifoat(&self.fd, name, self.owner.file_mode()).map_err(|error| about(&name, error))?;
        if let GraphOwner::Group(gid) = self.owner {
            // The file mode creation mask of this process may have removed the group's rights.
            let group = Some(Gid::from_raw(gid));
            chownat(&self.fd, name, None, group, AtFlags::SYMLINK_NOFOLLOW)?;
            chmodat(&self.fd, name, self.owner.file_mode(), AtFlags::empty())?;
        }
        Ok(())
    }

    /// Opens a named pipe.
    pub(crate) fn open_pipe(&self, name: &str, access: OFlags) -> io::Result<OwnedFd> {
        let flags = access | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = openat(&self.fd, name, flags, Mode::empty()).map_err(|error| about(&name, error))?;
        self.check(name, &fd, FileType::Fifo)?;
        Ok(fd)
    }

    /// Whether a name is that of a pipe that no process reads.
    pub(crate) fn is_pipe_without_reader(&self, name: &str) -> bool {
        let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let stat = statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW);
        let is_pipe = stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode).is_fifo());
        is_pipe && openat(&self.fd, name, flags, Mode::empty()).is_err_and(|error| error == Errno::NXIO)
    }

    /// Sets the group and the mode of a file that was just created.
    fn give_to_owner(&self, fd: BorrowedFd<'_>) -> io::Result<()> {
        if let GraphOwner::Group(gid) = self.owner {
            fchown(fd, None, Some(Gid::from_raw(gid)))?;
            fchmod(fd, self.owner.file_mode())?;
        }
        Ok(())
    }

    /// Checks the type and the owner of an open file.
    pub(crate) fn check(&self, name: &str, fd: &impl AsFd, kind: FileType) -> io::Result<()> {
        let stat = fstat(fd)?;
        let found = FileType::from_raw_mode(stat.st_mode);
        if found != kind {
            return Err(refused(format!("{name} is a {found:?}, not a {kind:?}")));
        }
        self.owner.check_owns(name, &stat)
    }

    /// Whether a name leads to an open file. If this process may not search the folder any more, a file that has
    /// any name is assumed to have this one.
    pub(crate) fn leads_to(&self, name: &str, fd: BorrowedFd<'_>) -> bool {
        let Ok(open) = fstat(fd) else { return false };
        match statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => same_file(&found, &open),
            Err(Errno::ACCESS | Errno::PERM) => open.st_nlink > 0,
            Err(_) => false,
        }
    }

    /// Whether an open file is on the folder's file system.
    pub(crate) fn is_on_the_same_file_system(&self, fd: &impl AsFd) -> io::Result<bool> {
        Ok(fstat(fd)?.st_dev == fstat(&self.fd)?.st_dev)
    }

    /// Removes a file. If it can't be removed, it stays, and a process that may remove it does so later.
    pub(crate) fn remove(&self, name: &str) {
        let _ = unlinkat(&self.fd, name, AtFlags::empty());
    }

    /// Removes the folder if it is empty.
    pub(crate) fn remove_if_empty(&self) {
        let _ = unlinkat(CWD, &self.path, AtFlags::REMOVEDIR);
    }

    /// Returns the names of everything in it.
    pub fn names(&self) -> Vec<String> {
        entries(Dir::read_from(&self.fd))
    }

    /// Returns why a file in the folder can't be a file of a member. Returns `None` if it may be one.
    pub fn why_foreign(&self, name: &str) -> Option<String> {
        let stat = statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let kind = FileType::from_raw_mode(stat.st_mode);
        if !matches!(kind, FileType::RegularFile | FileType::Fifo) {
            return Some(format!("it is a {kind:?}"));
        }
        self.owner.check_owns("it", &stat).err().map(|error| error.to_string())
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Returns the entries of a root that have a name of the owner's folder and can't be used as this folder. Each comes
/// with the reason.
pub fn foreign_folders(root: &Path, owner: GraphOwner) -> Vec<(PathBuf, String)> {
    let refused = |name: String| {
        let path = root.join(name);
        let stat = statat(CWD, &path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let error = check_folder(&path, &stat, owner).err()?;
        Some((path, error.to_string()))
    };
    candidates(root, owner).unwrap_or_default().into_iter().filter_map(refused).collect()
}

/// Returns the folders of the same owner that processes of another version use.
pub fn other_versions(root: &Path, owner: GraphOwner) -> Vec<PathBuf> {
    let end = owner.name_of_version("");
    let end = end.trim_start_matches("saltus.v");
    let is_other = |name: &String| {
        let version = name.strip_prefix("saltus.v").and_then(|rest| rest.strip_suffix(end));
        version.is_some_and(|version| version.parse().is_ok_and(|version: u32| version != LAYOUT))
    };
    let of_owner =
        |path: &PathBuf| statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|stat| owner.owns(&stat));
    names_in(root)
        .unwrap_or_default()
        .into_iter()
        .filter(is_other)
        .map(|name| root.join(name))
        .filter(of_owner)
        .collect()
}

/// Returns the other owners that have a folder of this version in a root.
pub fn other_owners(root: &Path, owner: GraphOwner) -> Vec<GraphOwner> {
    let prefix = format!("saltus.v{LAYOUT}.");
    let names = names_in(root).unwrap_or_default();
    let mut owners: Vec<GraphOwner> = names
        .iter()
        .filter_map(|name| {
            let id = name.strip_prefix(&prefix)?;
            let other = match id.strip_prefix('g') {
                Some(gid) => GraphOwner::Group(gid.parse().ok()?),
                None => GraphOwner::User(id.parse().ok()?),
            };
            (other != owner && is_folder_at(&root.join(name), other)).then_some(other)
        })
        .collect();
    owners.sort_by_key(GraphOwner::to_string);
    owners
}

/// Returns the name of the owner's folder in a root, if there is one.
///
/// The usual name is preferred, then the first in alphabetical order, so that all processes agree.
fn find(root: &Path, owner: GraphOwner) -> io::Result<Option<String>> {
    let usual = owner.folder_name();
    let is_usable = |name: &String| {
        let stat = statat(CWD, root.join(name), AtFlags::SYMLINK_NOFOLLOW);
        stat.is_ok_and(|stat| is_folder_of(&stat, owner))
    };
    if is_usable(&usual) {
        return Ok(Some(usual));
    }
    Ok(candidates(root, owner)?.into_iter().find(is_usable))
}

/// Returns the names in a root that an owner's folder can have.
fn candidates(root: &Path, owner: GraphOwner) -> io::Result<Vec<String>> {
    let usual = owner.folder_name();
    let is_candidate = |name: &String| {
        name.strip_prefix(&usual).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let mut names: Vec<String> = names_in(root)?.into_iter().filter(is_candidate).collect();
    names.sort();
    Ok(names)
}

fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(entries(Dir::new(openat(CWD, folder, flags, Mode::empty())?)))
}

fn entries(folder: rustix::io::Result<Dir>) -> Vec<String> {
    let names = folder.into_iter().flatten().flatten();
    let names = names.filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned));
    names.filter(|name| name != "." && name != "..").collect()
}

/// Creates an owner's folder. It gets its name after its owner and mode are set, so that no process finds it before.
fn create(root: &Path, owner: GraphOwner) -> io::Result<()> {
    let draft = root.join(format!(".saltus-{:016x}", random_id()?));
    mkdirat(CWD, &draft, Mode::RWXU).map_err(|error| about(&root.display(), error))?;
    let usual = root.join(owner.folder_name());
    let made = give_folder(&draft, owner).and_then(|()| match rename(&draft, &usual) {
        // Another user has taken the name. The rename also fails if another process of this owner has just created the
        // folder; see below.
        Err(Errno::EXIST) if !is_folder_at(&usual, owner) => {
            let other = format!("{}-{:016x}", owner.folder_name(), random_id()?);
            Ok(rename(&draft, &root.join(other))?)
        }
        other => Ok(other?),
    });
    match made {
        Ok(()) => Ok(()),
        Err(error) => {
            let _ = unlinkat(CWD, &draft, AtFlags::REMOVEDIR);
            if error.kind() == io::ErrorKind::AlreadyExists { Ok(()) } else { Err(error) }
        }
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), Errno> {
    renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)
}

fn give_folder(path: &Path, owner: GraphOwner) -> io::Result<()> {
    if let GraphOwner::Group(gid) = owner {
        let group = Some(Gid::from_raw(gid));
        let given = chownat(CWD, path, None::<Uid>, group, AtFlags::SYMLINK_NOFOLLOW);
        given.map_err(|error| about(&format_args!("a folder of group {gid}"), error))?;
    }
    // Sets the mode whatever the file mode creation mask of this process is.
    Ok(chmodat(CWD, path, owner.folder_mode(), AtFlags::empty())?)
}

fn is_folder_at(path: &Path, owner: GraphOwner) -> bool {
    statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|stat| is_folder_of(&stat, owner))
}

fn is_folder_of(stat: &Stat, owner: GraphOwner) -> bool {
    let mode = Mode::from_raw_mode(stat.st_mode);
    FileType::from_raw_mode(stat.st_mode).is_dir() && owner.owns(stat) && mode == owner.folder_mode()
}

fn check_folder(path: &Path, stat: &Stat, owner: GraphOwner) -> io::Result<()> {
    if is_folder_of(stat, owner) {
        return Ok(());
    }
    let kind = FileType::from_raw_mode(stat.st_mode);
    if kind.is_dir() {
        owner.check_owns(&path.display().to_string(), stat)?;
    }
    let (found, wanted) = (stat.st_mode & 0o7777, owner.folder_mode().as_raw_mode());
    Err(refused(format!(
        "{} is a {kind:?} with mode {found:o}, not a folder with mode {wanted:o}",
        path.display()
    )))
}

fn same_file(one: &Stat, other: &Stat) -> bool {
    (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
}
