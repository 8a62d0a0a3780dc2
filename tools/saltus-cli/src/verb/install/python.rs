//! Installs a Python package.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Stdio},
};

use saltus_package::{Entry, Prefix};
use serde_json::Value;

use super::files;
use saltus_verb::error::Error;

/// The Python module that installs a package and prints what it has.
const MODULE: &str = "saltus._install";

/// Installs a package. Returns a text that says what was installed.
pub(super) fn install(folder: &Path, prefix: &Prefix) -> Result<String, Error> {
    let _lock = files::lock(prefix)?;
    let mut command = Command::new("python3");
    command.args(["-m", MODULE]).arg(folder).arg(prefix.python()).stderr(Stdio::inherit());
    let output = command.output().map_err(|error| format!("can't start python3: {error}"))?;
    if !output.status.success() {
        return Err("python3 failed, see above".into());
    }
    let found: Value = serde_json::from_slice(&output.stdout)?;
    let name = found["name"].as_str().unwrap_or_default();
    let plugins = found["components"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let components: Vec<Entry> = plugins.map(Entry::python).collect();
    let programs = found["scripts"].as_object();
    for (program, text) in programs.into_iter().flatten() {
        let path = prefix.programs(name).join(program);
        files::write(&path, text.as_str().unwrap_or_default())?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    }
    files::install(folder, name, prefix)?;
    prefix.register(name, &components)?;
    let programs = programs.map_or(0, serde_json::Map::len);
    Ok(format!("{name} ({} components, {programs} programs)", components.len()))
}
