//! Maps for navigation: occupancy grids in YAML files and images, in the format of `nav2_map_server`. No I/O.
//!
//! | module | content |
//! |---|---|
//! | `grid` | an occupancy grid |
//! | `file` | the YAML file of a map |
//! | `picture` | the image of a map |
//! | `convert` | conversions between images and occupancy grids |
//!
//! ```
//! use saltus_map::{MapFile, Picture, UNKNOWN};
//! let text = "image: room.pgm\nresolution: 0.05\norigin: [-1.0, -2.0, 0.0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n";
//! let file = MapFile::parse(text)?;
//! let picture = Picture::decode(b"P5 3 1 255 \x00\xcd\xfe")?;
//! assert_eq!(file.grid(&picture).cells, [100, UNKNOWN, 0]);
//! # Ok::<(), saltus_map::MapError>(())
//! ```

mod convert;
mod error;
mod file;
mod grid;
mod picture;
#[cfg(test)]
mod tests;

pub use convert::{Thresholds, check_options, save};
pub use error::MapError;
pub use file::{MapFile, Mode};
pub use grid::{OCCUPIED, OccupancyGrid, UNKNOWN};
pub use picture::{Format, Picture};
