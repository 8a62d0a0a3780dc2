//! `saltus install`

mod build;
mod cmake;
mod files;
mod python;
mod rust;
mod workspace;

use std::{
    env,
    io::{self, Write},
    path::{Path, PathBuf},
};

use saltus_package::{PackagePath, Prefix, VARIABLE};

use saltus_verb::error::Error;
use workspace::{Builder, Package};

/// `saltus install …`
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  saltus install\n  saltus install path/to/demo --prefix /opt/robot\n  saltus install ~/robot_ws/src\n\n\
    The package is a cargo package, a Python package, or a package for CMake with a package.xml. In a folder of packages, all\n\
    that have a package.xml are installed, each after those that it needs; a file COLCON_IGNORE leaves a folder out.\n\
    The programs of a cargo or Python package, its components, its interfaces (in interfaces/) and its files in share/,\n\
    launch/, config/, params/ and urdf/ are installed. Components in Rust are built again for the prefix, together with\n\
    those of the other packages there, because all of them share one copy of Saltus. CMake installs what the CMakeLists.txt\n\
    of a package says; it needs the C++ packages of Saltus in AMENT_PREFIX_PATH."
)]
pub(crate) struct Install {
    /// The folder of a package, or of packages
    #[arg(default_value = ".")]
    package: PathBuf,
    /// The folder to install into
    #[arg(long, value_name = "FOLDER", default_value = "install")]
    prefix: PathBuf,
    /// Build without optimizations, which is faster
    #[arg(long)]
    debug: bool,
}

impl Install {
    pub(crate) fn run(self) -> Result<(), Error> {
        let prefix = Prefix::new(std::path::absolute(&self.prefix)?);
        let package = std::path::absolute(&self.package)?;
        let mut out = io::stdout().lock();
        let packages = Package::all(&package, prefix.path())?;
        if packages.is_empty() {
            let text = "has no Cargo.toml, no pyproject.toml and no CMakeLists.txt, and there is no package below it; give the \
                        folder of a package";
            return Err(format!("{} {text}", package.display()).into());
        }
        let count = packages.len();
        for (number, package) in packages.iter().enumerate() {
            if count > 1 {
                writeln!(out, "[{}/{count}] {}", number + 1, package.name())?;
                out.flush()?;
            }
            let installed = self.install(package, &prefix)?;
            writeln!(out, "Installed {installed} into {}", prefix.path().display())?;
        }
        if !PackagePath::from_environment().prefixes().contains(&prefix) {
            let path = match env::var(VARIABLE) {
                Ok(path) if !path.is_empty() => format!(":{path}"),
                _ => String::new(),
            };
            writeln!(out, "To use it: export {VARIABLE}={}{path}", prefix.path().display())?;
        }
        Ok(())
    }

    fn install(&self, package: &Package, prefix: &Prefix) -> Result<String, Error> {
        let folder: &Path = &package.folder;
        match package.builder {
            Builder::Cargo => rust::install(folder, prefix, self.debug),
            Builder::Python => python::install(folder, prefix),
            Builder::Cmake => cmake::install(folder, &package.name(), prefix, self.debug),
        }
    }
}
