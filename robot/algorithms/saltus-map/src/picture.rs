//! The image of a map.

use std::io::Cursor;

use image::{DynamicImage, ExtendedColorType, ImageEncoder, ImageReader, codecs};

use crate::error::MapError;

/// The maximum number of pixels of a map: 1 km × 1 km with a resolution of 10 cm, or 500 m × 500 m with 5 cm.
pub(crate) const MAX_PIXELS: u64 = 100_000_000;

/// A grayscale image: shades from black (0) to white (255), row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) shades: Vec<u8>,
    /// The opacity of each pixel, from 0 to 255, if the image has an alpha channel.
    pub(crate) opacity: Option<Vec<u8>>,
}

/// The format of the image of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Portable gray map, without opacity.
    Pgm,
    /// Portable network graphics.
    Png,
    /// Windows bitmap, without opacity.
    Bmp,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Bmp, Self::Pgm, Self::Png];

    /// Returns the extension of the names of files in this format.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Pgm => "pgm",
            Self::Png => "png",
            Self::Bmp => "bmp",
        }
    }
}

impl Picture {
    /// Decodes an image in one of the [formats](Format). Colors become shades with the weights of ITU-R BT.601, as in ROS 2.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not an image in one of the formats, or if the image has no pixels or too many.
    pub fn decode(bytes: &[u8]) -> Result<Self, MapError> {
        let reader =
            || ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(image::ImageError::IoError);
        let (width, height) = reader()?.into_dimensions()?;
        if width == 0 || height == 0 {
            return Err(MapError::Grid(format!("the image of the map has {width} x {height} pixels")));
        }
        if u64::from(width) * u64::from(height) > MAX_PIXELS {
            return Err(MapError::TooLarge { width, height, most: MAX_PIXELS });
        }
        let image = reader()?.decode()?;
        let opacity = image.color().has_alpha().then(|| alpha(&image));
        let shades = if image.color().has_color() { shades(&image) } else { image.into_luma8().into_raw() };
        Ok(Self { width, height, shades, opacity })
    }

    /// Encodes the image. Only PNG keeps the opacity. Fails if the format does not support the size of the image.
    pub(crate) fn encode(&self, format: Format) -> Result<Vec<u8>, MapError> {
        let mut bytes = Vec::new();
        let (width, height) = (self.width, self.height);
        match (format, &self.opacity) {
            (Format::Png, Some(opacity)) => {
                let both: Vec<u8> =
                    self.shades.iter().zip(opacity).flat_map(|(shade, alpha)| [*shade, *alpha]).collect();
                let encoder = codecs::png::PngEncoder::new(&mut bytes);
                encoder.write_image(&both, width, height, ExtendedColorType::La8)?;
            }
            (Format::Png, None) => {
                let encoder = codecs::png::PngEncoder::new(&mut bytes);
                encoder.write_image(&self.shades, width, height, ExtendedColorType::L8)?;
            }
            (Format::Pgm, _) => {
                let subtype = codecs::pnm::PnmSubtype::Graymap(codecs::pnm::SampleEncoding::Binary);
                let encoder = codecs::pnm::PnmEncoder::new(&mut bytes).with_subtype(subtype);
                encoder.write_image(&self.shades, width, height, ExtendedColorType::L8)?;
            }
            (Format::Bmp, _) => {
                let encoder = codecs::bmp::BmpEncoder::new(&mut bytes);
                encoder.write_image(&self.shades, width, height, ExtendedColorType::L8)?;
            }
        }
        Ok(bytes)
    }
}

/// Converts colors to shades. The weights are those of GraphicsMagick, which ROS 2 uses.
fn shades(image: &DynamicImage) -> Vec<u8> {
    let weighted = |[red, green, blue]: [u8; 3]| {
        (306 * u32::from(red) + 601 * u32::from(green) + 117 * u32::from(blue)) >> 10
    };
    // The sum of the weights is 1024, so the result is at most 255.
    image.to_rgb8().pixels().map(|pixel| weighted(pixel.0) as u8).collect()
}

fn alpha(image: &DynamicImage) -> Vec<u8> {
    image.to_luma_alpha8().pixels().map(|pixel| pixel.0[1]).collect()
}
