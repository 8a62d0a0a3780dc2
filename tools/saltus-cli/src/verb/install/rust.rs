//! Installs a cargo package.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use saltus_package::Prefix;
use serde_json::Value;

use super::{
    build::{Libraries, Source},
    files,
};
use saltus_verb::{error::Error, packages::run};

/// A cargo package, as `cargo metadata` describes it.
struct Package {
    name: String,
    folder: PathBuf,
    has_library: bool,
    programs: Vec<String>,
    workspace: PathBuf,
    /// Where its dependency `saltus` comes from, if it has one.
    saltus: Option<Source>,
}

/// Installs a package. Returns a text that says what was installed.
pub(super) fn install(folder: &Path, prefix: &Prefix, debug: bool) -> Result<String, Error> {
    let package = Package::read(folder)?;
    let _lock = files::lock(prefix)?;
    let components = match &package.saltus {
        Some(saltus) if package.has_library => {
            let mut libraries = Libraries::new(prefix, debug);
            libraries.add(&package.name, &package.folder, saltus, &package.workspace)?;
            let all = libraries.install()?;
            all.into_iter().find(|(name, _)| *name == package.name).map(|(_, components)| components)
        }
        _ => None,
    };
    let components = components.unwrap_or_default();
    install_programs(&package, prefix, debug)?;
    files::install(folder, &package.name, prefix)?;
    prefix.register(&package.name, &components)?;
    let (components, programs) = (components.len(), package.programs.len());
    Ok(format!("{} ({components} components, {programs} programs)", package.name))
}

/// Builds and copies the programs of a package.
fn install_programs(package: &Package, prefix: &Prefix, debug: bool) -> Result<(), Error> {
    if package.programs.is_empty() {
        return Ok(());
    }
    let target = prefix.path().join("build/programs");
    let mut command = Command::new("cargo");
    command.args(["build", "--bins", "--target-dir"]).arg(&target).current_dir(&package.folder);
    if !debug {
        command.arg("--release");
    }
    run(&mut command)?;
    let built = target.join(if debug { "debug" } else { "release" });
    for program in &package.programs {
        files::copy_file(&built.join(program), &prefix.programs(&package.name).join(program))?;
    }
    Ok(())
}

impl Package {
    /// Reads the manifest of a package, and where its dependencies come from.
    fn read(folder: &Path) -> Result<Self, Error> {
        let output = Command::new("cargo")
            .args(["metadata", "--format-version", "1"])
            .current_dir(folder)
            .stderr(std::process::Stdio::inherit())
            .output()
            .map_err(|error| format!("can't start cargo: {error}; install Rust, see https://rustup.rs"))?;
        if !output.status.success() {
            return Err("cargo failed, see above".into());
        }
        let metadata: Value = serde_json::from_slice(&output.stdout)?;
        Self::find(&metadata, folder)
    }

    fn find(metadata: &Value, folder: &Path) -> Result<Self, Error> {
        let manifest = folder.canonicalize()?.join("Cargo.toml");
        let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let of = |package: &Value| package["manifest_path"].as_str().map(PathBuf::from);
        let own = packages
            .iter()
            .find(|package| of(package).and_then(|path| path.canonicalize().ok()) == Some(manifest.clone()));
        let own = own.ok_or_else(|| {
            format!("{} is a workspace; give the folder of one of its packages", manifest.display())
        })?;
        let targets = own["targets"].as_array().map(Vec::as_slice).unwrap_or_default();
        let is = |target: &Value, kinds: &[&str]| {
            target["kind"]
                .as_array()
                .is_some_and(|all| all.iter().any(|kind| kinds.iter().any(|k| kind == k)))
        };
        let programs = targets.iter().filter(|target| is(target, &["bin"]));
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let saltus = packages.iter().find(|package| package["name"] == "saltus");
        Ok(Self {
            name: text(&own["name"]),
            folder: folder.to_owned(),
            has_library: targets.iter().any(|target| is(target, &["lib", "rlib"])),
            programs: programs.map(|target| text(&target["name"])).collect(),
            workspace: text(&metadata["workspace_root"]).into(),
            saltus: saltus.map(Source::of).transpose()?,
        })
    }
}
