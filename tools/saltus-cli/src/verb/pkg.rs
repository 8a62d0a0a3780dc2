//! `saltus pkg`

use std::{collections::BTreeSet, path::Path};

use clap::Subcommand;
use saltus_package::PackagePath;

use saltus_verb::{bundled, complete, error::Error, graph, output::print_lines};

/// `saltus pkg …`
#[derive(Debug, Subcommand)]
pub(crate) enum Pkg {
    /// Print the names of the installed packages
    #[command(after_help = "Example:\n  saltus pkg list")]
    List,
    /// Print the prefix into which a package is installed
    #[command(after_help = "Example:\n  saltus pkg prefix --share demo")]
    Prefix {
        /// The name of the package
        #[arg(add = complete::installed())]
        package_name: String,
        /// Print the folder of its shared files instead
        #[arg(long)]
        share: bool,
    },
    /// Print the programs of a package, or of all packages
    #[command(after_help = "Example:\n  saltus pkg executables demo --full-path")]
    Executables {
        /// The name of the package; without it, all packages
        #[arg(add = complete::installed())]
        package_name: Option<String>,
        /// Print the paths of the programs
        #[arg(long)]
        full_path: bool,
    },
}

/// Returns the part of an error text about the installed package whose name is similar to an unknown one, or an empty string if
/// there is none.
pub(super) fn installed_meant(path: &PackagePath, name: &str) -> String {
    graph::meant(name, path.packages().keys())
}

/// Does the same as [`installed_meant`], also with the packages of the programs that Saltus contains.
pub(super) fn meant(path: &PackagePath, name: &str) -> String {
    let bundled = bundled::PROGRAMS.iter().map(|program| program.package.to_owned());
    let known: BTreeSet<String> = path.packages().into_keys().chain(bundled).collect();
    graph::meant(name, &known)
}

impl Pkg {
    pub(crate) fn run(self) -> Result<(), Error> {
        let path = PackagePath::from_environment();
        match self {
            Self::List => print_lines(path.packages().keys()),
            Self::Prefix { package_name, share } => {
                let prefix = path.find(&package_name);
                let meant = || installed_meant(&path, &package_name);
                let prefix = prefix.ok_or_else(|| format!("Package not found{}", meant()))?;
                let folder = if share { prefix.share(&package_name) } else { prefix.path().into() };
                print_lines([folder.display()])
            }
            Self::Executables { package_name: Some(name), full_path } => {
                let bundled = || bundled::of_package(&name);
                match path.find(&name) {
                    Some(prefix) => {
                        let programs = prefix.executables(&name);
                        print_lines(programs.iter().map(|program| line(&name, program, full_path)))
                    }
                    None if bundled().next().is_some() => {
                        print_lines(bundled().map(|bundled| format!("{name} {}", bundled.name)))
                    }
                    None => Err(format!("Package '{name}' not found{}", meant(&path, &name)).into()),
                }
            }
            Self::Executables { package_name: None, full_path } => {
                let packages = path.packages();
                let programs = packages.iter().flat_map(|(name, prefix)| {
                    let programs = prefix.executables(name).into_iter();
                    programs.map(move |program| line(name, &program, full_path))
                });
                print_lines(programs)
            }
        }
    }
}

fn line(package: &str, program: &Path, full_path: bool) -> String {
    match full_path {
        true => program.display().to_string(),
        false => format!("{package} {}", program.file_name().unwrap_or_default().display()),
    }
}
