//! Why a map can't be read or written.

use saltus_yaml::YamlError;

/// Why a map can't be read or written.
#[derive(Debug, thiserror::Error)]
pub enum MapError {
    /// The YAML file is wrong.
    #[error(transparent)]
    Yaml(#[from] YamlError),
    /// The image can't be read or written.
    #[error("the image of the map: {0}")]
    Image(#[from] image::ImageError),
    /// The image is larger than any map.
    #[error("the image of the map has {width} x {height} pixels; a map may have {most}")]
    TooLarge {
        /// The width in pixels.
        width: u32,
        /// The height in pixels.
        height: u32,
        /// How many pixels there may be.
        most: u64,
    },
    /// The grid, or what it is to be written with, is wrong.
    #[error("{0}")]
    Grid(String),
}
