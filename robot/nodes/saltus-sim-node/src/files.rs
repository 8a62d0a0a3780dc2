//! Worlds and robots in files, and built-in ones.

use std::path::{Path, PathBuf};

use nav2_map_server::{LoadError, load, read_file};
use saltus_sim::{Model, World, WorldError};

/// The reason why a world or a robot can't be loaded.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file can't be read.
    #[error("can't read {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: std::io::Error,
    },
    /// There is neither such a file nor such a built-in world or robot.
    #[error("there is no file {name}, and no built-in {kind} of this name; built in: {known}")]
    NotFound {
        /// The name.
        name: String,
        /// The kind of file: a world or a robot.
        kind: &'static str,
        /// The names of the built-in files, with commas between them.
        known: &'static str,
    },
    /// The content is wrong.
    #[error("{}: {error}", path.display())]
    World {
        /// The file.
        path: PathBuf,
        /// The problem.
        error: WorldError,
    },
    /// The map can't be loaded.
    #[error(transparent)]
    Map(#[from] LoadError),
}

/// The worlds and robots that are built in: their names and texts.
pub const BUILT_IN: [(&str, &str); 3] = [
    ("turtlebot3_world", include_str!("../../../algorithms/saltus-sim/worlds/turtlebot3_world.yaml")),
    ("twenty_robots", include_str!("../../../algorithms/saltus-sim/worlds/twenty_robots.yaml")),
    ("waffle", include_str!("../../../algorithms/saltus-sim/worlds/waffle.yaml")),
];

/// The description of the Waffle.
const WAFFLE: &str = include_str!("../../../algorithms/saltus-sim/worlds/waffle.urdf");

/// The height of the plane in which the shapes of SDF are looked at: that of the lidar of most small robots.
const PLANE: f64 = 0.13;

/// Returns the text of the built-in file with this name, with or without its extension.
fn built_in(name: &str) -> Option<&'static str> {
    if name == "waffle.urdf" {
        return Some(WAFFLE);
    }
    let name = name.strip_suffix(".yaml").unwrap_or(name);
    BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Loads a world: a file in YAML or SDF, the YAML file of a map, or a built-in one.
///
/// # Errors
///
/// Returns an error if the file can't be read, or if its content is wrong.
pub fn load_world(name: &str) -> Result<World, FileError> {
    let path = Path::new(name);
    let wrong = |error| FileError::World { path: path.into(), error };
    let (text, folder) = find(name, "world", "turtlebot3_world, twenty_robots")?;
    match path.extension().and_then(|end| end.to_str()) {
        Some("sdf" | "world") => World::from_sdf(&text, PLANE).map_err(wrong),
        _ if is_map(&text) => World::from_map(&load(path)?).map_err(wrong),
        _ => World::parse_with(&text, &mut |name| beside(folder, name)).map_err(wrong),
    }
}

/// Loads a kind of robot: a file in YAML, or a built-in one.
///
/// # Errors
///
/// Returns an error if the file can't be read, or if its content is wrong.
pub fn load_model(name: &str) -> Result<Model, FileError> {
    let path = Path::new(name);
    let (text, folder) = find(name, "robot", "waffle")?;
    Model::parse_with(&text, &mut |name| beside(folder, name))
        .map_err(|error| FileError::World { path: path.into(), error })
}

/// The file of a map has this key, which worlds do not have.
fn is_map(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("image:"))
}

/// Whether there is a file. A folder does not hide a built-in file.
fn is_there(path: &Path) -> bool {
    path.exists() && !path.is_dir()
}

/// Returns the text of a file, and its folder. A built-in file has no folder.
fn find<'a>(
    name: &'a str,
    kind: &'static str,
    known: &'static str,
) -> Result<(String, Option<&'a Path>), FileError> {
    let path = Path::new(name);
    match (is_there(path), built_in(name)) {
        (true, _) => Ok((text(path)?, Some(path.parent().unwrap_or(Path::new(""))))),
        (false, Some(text)) => Ok((text.into(), None)),
        (false, None) => Err(FileError::NotFound { name: name.into(), kind, known }),
    }
}

/// Reads a file that a world names: beside the world, or built in. A built-in world names built-in files only, and no files of the
/// current folder.
fn beside(folder: Option<&Path>, name: &str) -> Result<Vec<u8>, String> {
    match (folder.map(|folder| folder.join(name)), built_in(name)) {
        (Some(path), text) if text.is_none() || is_there(&path) => {
            read_file(&path).map_err(|error| format!("can't read {}: {error}", path.display()))
        }
        (_, Some(text)) => Ok(text.as_bytes().to_vec()),
        (_, None) => Err(format!("{name} is not built in")),
    }
}

fn text(path: &Path) -> Result<String, FileError> {
    let bytes = read_file(path).map_err(|error| FileError::Read { path: path.into(), error })?;
    if path.extension().is_some_and(|end| end == "sdf" || end == "world") {
        return Ok(saltus_xml::decoded(bytes));
    }
    String::from_utf8(bytes).map_err(|_| {
        let error = std::io::Error::new(std::io::ErrorKind::InvalidData, "the file is not UTF-8");
        FileError::Read { path: path.into(), error }
    })
}
