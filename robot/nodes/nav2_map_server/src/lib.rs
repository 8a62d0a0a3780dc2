//! Loads maps from files, publishes them, and saves them, as ROS 2's package of this name does.
//!
//! | module | content |
//! |---|---|
//! | `message` | grids as messages |
//! | `files` | reads and writes the two files of a map |
//! | `server` | the lifecycle node `map_server`, which loads and publishes a map |
//! | `saver` | the lifecycle node `map_saver`, which saves maps that others publish |

mod files;
mod message;
mod saver;
mod server;
#[cfg(test)]
mod tests;

pub use files::{LARGEST, LoadError, SaveError, SaveOptions, load, read_file, save, unknown_keys};
pub use message::from_message;
pub use saver::{MapSaver, SaverSettings, WaitError, default_name, receive};
pub use server::MapServer;

saltus::component!("nav2_map_server::MapServer", MapServer);
saltus::component!("nav2_map_server::MapSaver", MapSaver);
