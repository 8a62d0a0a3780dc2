//! `saltus install`

mod build;
mod files;
mod python;
mod rust;

use std::{
    env,
    io::{self, Write},
    path::PathBuf,
};

use saltus_package::{PackagePath, Prefix, VARIABLE};

use saltus_verb::error::Error;

/// `saltus install …`
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  saltus install\n  saltus install path/to/demo --prefix /opt/robot\n\n\
    The package is a cargo package or a Python package. Its programs, its components, its interfaces (in interfaces/) and\n\
    its files in share/, launch/, config/, params/ and urdf/ are installed. Components in Rust are built again for the\n\
    prefix, together with those of the other packages there, because all of them share one copy of Saltus.")]
pub(crate) struct Install {
    /// The folder of the package
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
        let installed = if package.join("Cargo.toml").is_file() {
            rust::install(&package, &prefix, self.debug)?
        } else if ["pyproject.toml", "setup.py"].iter().any(|file| package.join(file).is_file()) {
            python::install(&package, &prefix)?
        } else {
            let text = "has no Cargo.toml and no pyproject.toml; give the folder of a package";
            return Err(format!("{} {text}", package.display()).into());
        };
        let mut out = io::stdout().lock();
        writeln!(out, "Installed {installed} into {}", prefix.path().display())?;
        if !PackagePath::from_environment().prefixes().contains(&prefix) {
            let path = match env::var(VARIABLE) {
                Ok(path) if !path.is_empty() => format!(":{path}"),
                _ => String::new(),
            };
            writeln!(out, "To use it: export {VARIABLE}={}{path}", prefix.path().display())?;
        }
        Ok(())
    }
}
