//! The files of one prefix.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::Entry;

/// The folder of the index in a prefix.
const INDEX: &str = "share/ament_index/resource_index";
/// The kind of resource that every package has.
const PACKAGES: &str = "packages";
/// The kind of resource that packages with components have.
const COMPONENTS: &str = "saltus_components";
/// The kind of resource that packages with components in C++ have.
const CPP_COMPONENTS: &str = "rclcpp_components";

/// Why the index of a prefix can't be read.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// A file can't be read.
    #[error("can't read {}: {source}", path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A line has not the form `plugin;library`.
    #[error("{}: expected `plugin;library`, found `{line}`", path.display())]
    Entry {
        /// The path of the file.
        path: PathBuf,
        /// The line.
        line: String,
    },
}

/// A folder into which packages are installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix(PathBuf);

impl Prefix {
    /// Returns the prefix in this folder. The folder may not exist.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// Returns the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the folder for the files of a package: interfaces, parameters, launch files.
    pub fn share(&self, package: &str) -> PathBuf {
        self.0.join("share").join(package)
    }

    /// Returns the folder for the programs of a package.
    pub fn programs(&self, package: &str) -> PathBuf {
        self.0.join("lib").join(package)
    }

    /// Returns the folder for Python packages.
    pub fn python(&self) -> PathBuf {
        self.0.join("lib/python")
    }

    /// Returns the folder for the libraries of components that were built together.
    pub fn build(&self, build: &str) -> PathBuf {
        self.0.join("lib/saltus").join(build)
    }

    /// Returns the folder of the libraries that were built last, if there is one.
    pub fn current_build(&self) -> Option<PathBuf> {
        let name = fs::read_to_string(self.0.join("lib/saltus/current")).ok()?;
        let folder = is_file_name(name.trim()).then(|| self.build(name.trim()))?;
        folder.is_dir().then_some(folder)
    }

    /// Sets the folder that [`Prefix::current_build`] returns.
    ///
    /// # Errors
    ///
    /// Returns an error if the file can't be written.
    pub fn set_current_build(&self, build: &str) -> io::Result<()> {
        replace(&self.0.join("lib/saltus/current"), build)
    }

    /// Returns the names of all packages, in no order.
    pub fn packages(&self) -> Vec<String> {
        let files = fs::read_dir(self.0.join(INDEX).join(PACKAGES)).into_iter().flatten().flatten();
        files
            .filter_map(|file| file.file_name().into_string().ok())
            .filter(|name| is_file_name(name))
            .collect()
    }

    /// Whether the package is installed in this prefix.
    pub fn has(&self, package: &str) -> bool {
        self.marker(PACKAGES, package).is_some_and(|path| path.is_file())
    }

    /// Returns the components of a package, in the order of the index: those in Rust and Python, then those in C++. Returns
    /// `None` if the package has no components.
    ///
    /// # Errors
    ///
    /// Returns an error if a file of the index can't be read, or if it has a line that is not an entry.
    pub fn components(&self, package: &str) -> Result<Option<Vec<Entry>>, IndexError> {
        let own = self.entries(COMPONENTS, package, Entry::parse)?;
        let cpp = self.entries(CPP_COMPONENTS, package, Entry::parse_cpp)?;
        Ok(match (own, cpp) {
            (None, None) => None,
            (own, cpp) => Some(own.into_iter().chain(cpp).flatten().collect()),
        })
    }

    fn entries(
        &self,
        kind: &str,
        package: &str,
        parse: fn(&str) -> Option<Entry>,
    ) -> Result<Option<Vec<Entry>>, IndexError> {
        let Some(path) = self.marker(kind, package) else { return Ok(None) };
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(IndexError::File { path, source }),
        };
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let entry = |line: &str| {
            parse(line).ok_or_else(|| IndexError::Entry { path: path.clone(), line: line.into() })
        };
        lines.map(entry).collect::<Result<_, _>>().map(Some)
    }

    /// Returns the paths of the programs of a package, sorted.
    pub fn executables(&self, package: &str) -> Vec<PathBuf> {
        if !is_file_name(package) {
            return Vec::new();
        }
        let files = fs::read_dir(self.programs(package)).into_iter().flatten().flatten();
        let mut programs: Vec<PathBuf> =
            files.map(|file| file.path()).filter(|path| is_program(path)).collect();
        programs.sort();
        programs
    }

    /// Writes the files of the index for a package. The package is visible when all its other files are there, so call
    /// this last.
    ///
    /// # Errors
    ///
    /// Returns an error if the name can't be that of a file, or if a file can't be written.
    pub fn register(&self, package: &str, components: &[Entry]) -> io::Result<()> {
        let no_name =
            || io::Error::new(io::ErrorKind::InvalidInput, format!("`{package}` is not a package name"));
        let path = self.marker(COMPONENTS, package).ok_or_else(no_name)?;
        if components.is_empty() {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        } else {
            let lines: String = components.iter().map(|entry| format!("{entry}\n")).collect();
            replace(&path, &lines)?;
        }
        replace(&self.marker(PACKAGES, package).ok_or_else(no_name)?, "")
    }

    /// Returns the path of the index for a resource. Returns `None` if the name of the package can't be that of a file.
    fn marker(&self, kind: &str, package: &str) -> Option<PathBuf> {
        is_file_name(package).then(|| self.0.join(INDEX).join(kind).join(package))
    }
}

/// Whether a text is the name of a file that is not hidden, and not a path.
fn is_file_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\0'])
}

/// Whether the user may run a file.
fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// Writes a file. A reader finds either the old text or the new one.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let new = folder.join(format!(".{name}.{}", std::process::id()));
    fs::write(&new, text).and_then(|()| fs::rename(&new, path)).inspect_err(|_| {
        // The caller gets the error of the write.
        let _ = fs::remove_file(&new);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn what_is_registered_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let prefix = Prefix::new(folder.path());
        assert!(!prefix.has("demo") && prefix.packages().is_empty());
        let entry = |plugin: &str| Entry::parse(&format!("{plugin};lib/saltus/1/libdemo.so")).unwrap();
        let entries = [entry("demo::Talker"), entry("demo::Listener"), Entry::python("demo.nodes:Echo")];
        prefix.register("demo", &entries).unwrap();
        assert!(prefix.has("demo"));
        assert_eq!(prefix.packages(), ["demo"]);
        assert_eq!(prefix.components("demo").unwrap().unwrap(), entries);
        prefix.register("demo", &[]).unwrap();
        assert_eq!(prefix.components("demo").unwrap(), None);
    }

    #[test]
    fn components_in_cpp_are_found_too() {
        let folder = tempfile::tempdir().unwrap();
        let prefix = Prefix::new(folder.path());
        prefix.register("demo", &[Entry::python("demo.nodes:Echo")]).unwrap();
        replace(&prefix.marker(CPP_COMPONENTS, "demo").unwrap(), "demo::Talker;lib/libdemo.so\n").unwrap();
        replace(&prefix.marker(CPP_COMPONENTS, "other").unwrap(), "other::A;/opt/liba.so\n").unwrap();
        let all = prefix.components("demo").unwrap().unwrap();
        assert_eq!(all.iter().map(|one| one.language).collect::<Vec<_>>(), [Language::Python, Language::Cpp]);
        assert_eq!(all[1].to_string(), "demo::Talker;lib/libdemo.so");
        assert_eq!(prefix.components("other").unwrap().unwrap()[0].language, Language::Cpp);
    }

    #[test]
    fn an_invalid_entry_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let prefix = Prefix::new(folder.path());
        let path = prefix.marker(COMPONENTS, "demo").unwrap();
        for line in ["demo::Talker", "a;b;c", ";lib.so", "a;"] {
            replace(&path, &format!("\n{line}\n")).unwrap();
            let error = prefix.components("demo").unwrap_err().to_string();
            assert!(error.ends_with(&format!("found `{line}`")), "{error}");
        }
    }

    #[test]
    fn names_can_not_leave_the_prefix() {
        let folder = tempfile::tempdir().unwrap();
        let prefix = Prefix::new(folder.path().join("prefix"));
        fs::write(folder.path().join("outside"), "a;b").unwrap();
        for name in ["", ".", "..", "../outside", "/etc/passwd", "a/b", ".hidden", "a\0b"] {
            assert!(!prefix.has(name), "{name:?}");
            assert!(prefix.components(name).unwrap().is_none(), "{name:?}");
            assert!(prefix.executables(name).is_empty(), "{name:?}");
            assert!(prefix.register(name, &[]).is_err(), "{name:?}");
        }
    }

    #[test]
    fn only_programs_are_executables() {
        let folder = tempfile::tempdir().unwrap();
        let prefix = Prefix::new(folder.path());
        let programs = prefix.programs("demo");
        fs::create_dir_all(programs.join("folder")).unwrap();
        for (name, mode) in [("talker", 0o755), ("notes.txt", 0o644)] {
            fs::write(programs.join(name), "").unwrap();
            fs::set_permissions(programs.join(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        assert_eq!(prefix.executables("demo"), [programs.join("talker")]);
    }
}
