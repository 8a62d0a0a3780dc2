//! Builds the libraries of components of a prefix.
//!
//! All libraries of a prefix, the dynamic library of Saltus and the program that loads them are members of one cargo
//! workspace in `build/components` of the prefix. They are built together, so that they share one copy of Saltus.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use saltus_container::Role;
use saltus_package::{Entry, Language, Prefix};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::files::{copy_file, write};
use saltus_verb::{
    error::Error,
    packages::{command, run},
};

const WORKSPACE: &str = include_str!("templates/workspace.toml");
const RUNTIME: [(&str, &str); 2] = [
    ("runtime/Cargo.toml", include_str!("templates/runtime.toml")),
    ("runtime/src/lib.rs", include_str!("templates/runtime.rs")),
];
const CONTAINER: [(&str, &str); 2] = [
    ("container/Cargo.toml", include_str!("templates/container.toml")),
    ("container/src/main.rs", include_str!("templates/container.rs")),
];
const LIBRARY: [(&str, &str); 2] = [
    ("Cargo.toml", include_str!("templates/library.toml")),
    ("src/lib.rs", include_str!("templates/library.rs")),
];
/// The dynamic library of Saltus.
const RUNTIME_LIBRARY: &str = "libsaltus_runtime.so";
/// The arguments for linking the libraries and the program. With `-Bsymbolic`, calls within a library need no search of
/// a name when it is loaded, which would bring the pages with all names into memory.
const LINKING: [&str; 3] = ["-Cprefer-dynamic", "-Clink-arg=-Wl,-rpath,$ORIGIN", "-Clink-arg=-Wl,-Bsymbolic"];
/// The separator of flags in the variable that cargo reads.
const FLAG_SEPARATOR: &str = "\x1f";

/// Whether a process holds a lock of a file.
fn is_locked(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| file.try_lock().is_err())
}

/// The folders in a source tree of Saltus, of the crates that a prefix depends on.
const CRATES: [(&str, &str); 2] =
    [("saltus", "crates/client/saltus"), ("saltus-container", "crates/system/saltus-container")];

/// Where Saltus comes from, as a dependency in a manifest, with `@path@` for the folder of the crate in its source tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source(String);

impl Source {
    /// Returns the source of the package `saltus` in the output of `cargo metadata`.
    pub(super) fn of(package: &Value) -> Result<Self, Error> {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        let source = package["source"].as_str();
        let table = match source.map(|source| source.strip_prefix("git+").unwrap_or(source)) {
            None => {
                let own = Path::new(CRATES[0].1).join("Cargo.toml");
                let tree = manifest.ancestors().nth(own.components().count()).unwrap_or(Path::new("/"));
                format!("{{ path = {:?} }}", format!("{}/@path@", tree.display()))
            }
            // Such as `https://example.org/saltus?tag=v1#0123abcd`.
            Some(url) => {
                let (url, revision) = url.split_once('#').unwrap_or((url, ""));
                let url = url.split('?').next().unwrap_or(url);
                format!("{{ git = \"{url}\", rev = \"{revision}\" }}")
            }
        };
        Ok(Self(table))
    }

    fn dependencies(&self) -> [String; 2] {
        CRATES.map(|(name, path)| format!("{name} = {}", self.0.replace("@path@", path)))
    }
}

/// The libraries of components of a prefix.
pub(super) struct Libraries<'a> {
    prefix: &'a Prefix,
    folder: PathBuf,
    debug: bool,
    /// The files that were written, with what they contained before; `None` if they did not exist.
    before: Vec<(PathBuf, Option<Vec<u8>>)>,
}

impl<'a> Libraries<'a> {
    pub(super) fn new(prefix: &'a Prefix, debug: bool) -> Self {
        Self { prefix, folder: prefix.path().join("build/components"), debug, before: Vec::new() }
    }

    /// Adds a package to the workspace, or updates it. An error changes nothing.
    pub(super) fn add(
        &mut self,
        name: &str,
        package: &Path,
        saltus: &Source,
        workspace: &Path,
    ) -> Result<(), Error> {
        let written = self.write_all(name, package, saltus, workspace);
        if written.is_err() {
            self.undo();
        }
        written
    }

    fn write_all(
        &mut self,
        name: &str,
        package: &Path,
        saltus: &Source,
        workspace: &Path,
    ) -> Result<(), Error> {
        let [saltus, container] = saltus.dependencies();
        let fill = |text: &str| {
            text.replace("@saltus@", &saltus)
                .replace("@saltus-container@", &container)
                .replace("@package@", name)
                .replace("@crate@", &name.replace('-', "_"))
                .replace("\"@path@\"", &format!("{:?}", package.display().to_string()))
                .replace("@path@", &package.display().to_string())
        };
        for (path, text) in RUNTIME.iter().chain(&CONTAINER) {
            self.write(self.folder.join(path), &fill(text))?;
        }
        for (path, text) in LIBRARY {
            self.write(self.library(name).join(path), &fill(text))?;
        }
        // The same versions of the dependencies as those that the package was tested with.
        let (locked, lock) = (workspace.join("Cargo.lock"), self.folder.join("Cargo.lock"));
        self.keep(&lock)?;
        if locked.is_file() && !lock.is_file() {
            copy_file(&locked, &lock)?;
        }
        let mut members: Vec<String> = self.packages();
        members.sort();
        let members: Vec<String> = members.iter().map(|name| format!("\"libraries/{name}\"")).collect();
        self.write(self.folder.join("Cargo.toml"), &WORKSPACE.replace("@libraries@", &members.join(", ")))
    }

    /// Writes a file, and keeps what it contained before.
    fn write(&mut self, path: PathBuf, text: &str) -> Result<(), Error> {
        self.keep(&path)?;
        write(&path, text)
    }

    /// Keeps what a file contains, so that it can be restored.
    fn keep(&mut self, path: &Path) -> Result<(), Error> {
        let before = match fs::read(path) {
            Ok(content) => Some(content),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(format!("can't read {}: {error}", path.display()).into()),
        };
        self.before.push((path.to_owned(), before));
        Ok(())
    }

    /// Restores the workspace as it was before a package that can't be built was added.
    fn undo(&mut self) {
        while let Some((path, before)) = self.before.pop() {
            // An error leaves the file as it is. The next installation writes it again.
            let _ = match before {
                Some(content) => fs::write(&path, content),
                None => fs::remove_file(&path),
            };
        }
    }

    fn library(&self, name: &str) -> PathBuf {
        self.folder.join("libraries").join(name)
    }

    /// Returns the names of the packages in the workspace whose sources still exist.
    fn packages(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.join("libraries")).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| self.source(name).is_some_and(|path| path.join("Cargo.toml").is_file())).collect()
    }

    /// Returns the folder of a package, which its manifest in the workspace names.
    fn source(&self, name: &str) -> Option<PathBuf> {
        let manifest = fs::read_to_string(self.library(name).join("Cargo.toml")).ok()?;
        let path = manifest.lines().find_map(|line| line.strip_prefix("# source: "))?;
        Some(path.into())
    }

    /// Builds all libraries and installs them. Returns the components of each package.
    pub(super) fn install(&mut self) -> Result<Vec<(String, Vec<Entry>)>, Error> {
        let built = self.check_sources().and_then(|()| self.build_all());
        let installed = built.and_then(|(target, id)| self.copy(&target, &id));
        if installed.is_err() {
            self.undo();
        }
        installed
    }

    /// Returns an error if the packages use different versions of Saltus, because each of them would have a copy of its own.
    fn check_sources(&self) -> Result<(), Error> {
        let mut command = Command::new("cargo");
        command.args(["metadata", "--format-version", "1"]).current_dir(&self.folder);
        let output = command.stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            return Err(self.explained("cargo failed, see above"));
        }
        let metadata: Value = serde_json::from_slice(&output.stdout)?;
        let packages = metadata["packages"].as_array().into_iter().flatten();
        let sources: BTreeSet<&str> = packages
            .filter(|package| package["name"] == "saltus")
            .filter_map(|package| package["manifest_path"].as_str())
            .collect();
        match sources.len() {
            0 | 1 => Ok(()),
            _ => {
                let sources: Vec<&str> = sources.into_iter().collect();
                let text = format!("the packages use different versions of Saltus: {}", sources.join(", "));
                Err(self.explained(&text))
            }
        }
    }

    /// Adds to an error text which packages are built together.
    fn explained(&self, text: &str) -> Error {
        let packages = self.packages().join(", ");
        let folder = self.folder.join("libraries");
        format!(
            "{text}; the packages of the prefix are built together: {packages}. To build without one of them, remove its \
             folder in {}",
            folder.display()
        )
        .into()
    }

    /// Builds everything. Returns the folder of what was built, and the id of the build.
    fn build_all(&self) -> Result<(PathBuf, String), Error> {
        // The first build shows what the dynamic library of Saltus is. The second one writes that into the others.
        self.build("")?;
        let target = self.folder.join("target").join(if self.debug { "debug" } else { "release" });
        let runtime = fs::read(target.join(RUNTIME_LIBRARY))?;
        let digest = Sha256::digest(&runtime);
        let id: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        self.build(&format!("Saltus {} (build {id}), {}", env!("CARGO_PKG_VERSION"), self.compiler()?))?;
        Ok((target, id))
    }

    /// Copies a build into the prefix, and then enters the components of all packages into the index.
    fn copy(&self, target: &Path, id: &str) -> Result<Vec<(String, Vec<Entry>)>, Error> {
        let build = self.prefix.build(id);
        copy_file(&target.join(RUNTIME_LIBRARY), &build.join(RUNTIME_LIBRARY))?;
        copy_file(&target.join("saltus-component-container"), &build.join("container"))?;
        self.copy_standard_library(&build)?;
        let mut installed = Vec::new();
        for name in self.packages() {
            let file = format!("lib{}_components.so", name.replace('-', "_"));
            copy_file(&target.join(&file), &build.join(&file))?;
            let components = self.components(&build, &file, &name)?;
            installed.push((name, components));
        }
        // Nothing can fail any more but the writing of these files. The other packages of the prefix have the new libraries,
        // too.
        for (name, components) in installed.iter().filter(|(name, _)| self.prefix.has(name)) {
            self.prefix.register(name, components)?;
        }
        let previous = self.prefix.current_build();
        self.prefix.set_current_build(id)?;
        self.remove_old([Some(build), previous]);
        Ok(installed)
    }

    /// Builds the workspace. `build` is the text of the build for the libraries and the program.
    fn build(&self, build: &str) -> Result<(), Error> {
        let flags = LINKING.join(FLAG_SEPARATOR);
        let mut command = Command::new("cargo");
        command.args(["build", "--workspace"]).current_dir(&self.folder);
        command.env("SALTUS_BUILD", build).env("CARGO_ENCODED_RUSTFLAGS", flags);
        command.arg("--target-dir").arg(self.folder.join("target"));
        if !self.debug {
            command.arg("--release");
        }
        run(&mut command).map_err(|_| self.explained("the build failed, see above"))
    }

    /// Removes the builds that no package of the prefix uses any more, except `kept`, the new one and the previous one, and
    /// except those of containers that run: they may start processes.
    fn remove_old(&self, kept: [Option<PathBuf>; 2]) {
        let entries =
            self.prefix.packages().into_iter().filter_map(|name| self.prefix.components(&name).ok()?);
        let libraries = entries.flatten().map(|entry| self.prefix.path().join(entry.library));
        let used = libraries.filter_map(|library| library.parent().map(Path::to_owned));
        let used: BTreeSet<PathBuf> = used.chain(kept.into_iter().flatten()).collect();
        let builds = fs::read_dir(self.prefix.build("")).into_iter().flatten().flatten();
        let builds = builds.map(|build| build.path()).filter(|path| path.is_dir());
        for build in builds.filter(|path| !used.contains(path) && !is_locked(&path.join("container"))) {
            // What stays is not used.
            let _ = fs::remove_dir_all(build);
        }
    }

    /// Returns the version of the compiler, such as `rustc 1.95.0 (59807616e 2026-04-14)`.
    fn compiler(&self) -> Result<String, Error> {
        self.rustc(&["--version"])
    }

    fn rustc(&self, words: &[&str]) -> Result<String, Error> {
        let output = Command::new("rustc").args(words).current_dir(&self.folder).output()?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Copies the dynamic library of the Rust standard library.
    fn copy_standard_library(&self, build: &Path) -> Result<(), Error> {
        let folder = PathBuf::from(self.rustc(&["--print", "target-libdir"])?);
        for entry in fs::read_dir(&folder)?.flatten() {
            let name = entry.file_name();
            let text = name.to_string_lossy();
            if text.starts_with("libstd-") && text.ends_with(".so") {
                copy_file(&entry.path(), &build.join(&name))?;
            }
        }
        Ok(())
    }

    /// Returns the components of a package in a library.
    fn components(&self, build: &Path, file: &str, package: &str) -> Result<Vec<Entry>, Error> {
        let library = build.join(file);
        let mut command = command(&build.join("container"), &Role::List(library.clone()));
        let output = command.stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            return Err(format!("{} can't be loaded, see above", library.display()).into());
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let path = library.strip_prefix(self.prefix.path()).unwrap_or(&library).to_owned();
        let lines = text.lines().filter_map(|line| line.split_once(' ')).filter(|(of, _)| *of == package);
        let entry = |(_, plugin): (&str, &str)| Entry {
            plugin: plugin.into(),
            library: path.clone(),
            language: Language::Rust,
        };
        Ok(lines.map(entry).collect())
    }
}
