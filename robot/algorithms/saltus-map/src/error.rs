//! The errors of reading and writing maps.

use saltus_yaml::YamlError;

/// An error of reading or writing a map.
#[derive(Debug, thiserror::Error)]
pub enum MapError {
    /// The YAML file is not valid.
    #[error(transparent)]
    Yaml(#[from] YamlError),
    /// The image cannot be decoded or encoded.
    #[error("the image of the map: {0}")]
    Image(#[from] image::ImageError),
    /// The image is larger than the largest map.
    #[error("the image of the map has {width} x {height} pixels; a map may have {most}")]
    TooLarge {
        /// The width in pixels.
        width: u32,
        /// The height in pixels.
        height: u32,
        /// The maximum number of pixels.
        most: u64,
    },
    /// The grid, or an option for saving it, is not valid.
    #[error("{0}")]
    Grid(String),
}
