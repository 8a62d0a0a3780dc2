//! Runs the components that this program contains, alone and in containers, and writes the files of their package.

use std::{env, ffi::OsString, path::PathBuf, process::ExitCode};

use saltus::{
    Context,
    component::{Plugin, run_factory},
};
use saltus_verb::{bundled, error::Error, output::print_text, packages::COMPONENTS, programs::VERSION};

/// Runs the components of a container, or one component in a process of its own behind a container.
pub(crate) fn run_container() -> ExitCode {
    // A container starts this program again with the same words before the role.
    let mut first: Vec<&'static str> = Vec::new();
    for word in env::args_os().skip(1) {
        first.push(word.to_string_lossy().into_owned().leak());
        if word == COMPONENTS {
            break;
        }
    }
    saltus_container::run(&VERSION, first.leak())
}

/// Runs a component alone. The words are its package, its name, and arguments for its node.
pub(crate) fn run_alone(words: &[OsString]) -> Result<(), Error> {
    let [package, name, ..] = words else {
        return Err(format!("{} needs a package and the name of a program", bundled::RUN).into());
    };
    let (package, name) = (package.to_string_lossy(), name.to_string_lossy());
    let plugin = bundled::find(&package, &name).and_then(|found| Plugin::find(&package, found.plugin()?));
    let plugin = plugin.ok_or_else(|| format!("{package} {name} is not a component of this program"))?;
    run_factory(&Context::from_args()?, &plugin.factory()).map_err(|error| error as Error)
}

/// Writes the launch files, parameters and maps of navigation into the user's folder for caches, and prints their prefix.
pub(crate) fn print_prefix() -> Result<(), Error> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let caches = caches.ok_or(
        "neither XDG_CACHE_HOME nor HOME is set, so there is no folder for the files of the package nav",
    )?;
    let folder = caches.join("saltus").join(env!("CARGO_PKG_VERSION"));
    saltus_nav_bringup::unpack(&folder).map_err(|error| {
        format!("can't write the files of the package nav to {}: {error}", folder.display())
    })?;
    print_text(&format!("{}\n", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bundled_component_is_in_this_program() {
        for bundled in &bundled::PROGRAMS {
            if let Some(plugin) = bundled.plugin() {
                assert!(Plugin::find(bundled.package, plugin).is_some(), "{plugin}");
            }
        }
    }
}
