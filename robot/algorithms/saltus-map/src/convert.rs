//! Conversions between images and occupancy grids.

use crate::{
    error::MapError,
    file::{MapFile, Mode, is_resolution},
    grid::{OCCUPIED, OccupancyGrid, UNKNOWN},
    picture::{Format, MAX_PIXELS, Picture},
};

/// The shades of free, unknown and occupied cells in images of the mode trinary.
const FREE_SHADE: u8 = 254;
const UNKNOWN_SHADE: u8 = 205;
const OCCUPIED_SHADE: u8 = 0;
/// The thresholds that distinguish these shades. The shade 205 is 0.19608 of black.
const TRINARY_THRESHOLDS: Thresholds = Thresholds { occupied: 0.65, free: 0.196 };

/// The thresholds for free and occupied cells, as shares of the largest value from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// The share from which on a cell is occupied.
    pub occupied: f64,
    /// The share up to which a cell is free.
    pub free: f64,
}

impl Default for Thresholds {
    /// Returns the defaults of `map_saver` of ROS 2.
    fn default() -> Self {
        Self { occupied: 0.65, free: 0.25 }
    }
}

impl MapFile {
    /// Converts the image of the map to a grid.
    pub fn grid(&self, picture: &Picture) -> OccupancyGrid {
        let Picture { width, height, shades, opacity } = picture;
        let cell = |index: usize| match opacity {
            Some(opacity) if self.mode != Mode::Raw && opacity[index] < u8::MAX => UNKNOWN,
            _ => self.cell(shades[index]),
        };
        // The first row of an image is the top one.
        let columns = *width as usize;
        let rows = (0..*height as usize).rev();
        let cells = rows.flat_map(|row| row * columns..(row + 1) * columns).map(cell).collect();
        OccupancyGrid {
            width: *width,
            height: *height,
            resolution: self.resolution,
            origin: self.origin,
            cells,
        }
    }

    /// Returns the value of a cell with a shade.
    fn cell(&self, shade: u8) -> i8 {
        if self.mode == Mode::Raw {
            return i8::try_from(shade).ok().filter(|value| *value <= OCCUPIED).unwrap_or(UNKNOWN);
        }
        // In double precision, because a threshold may be very close to a shade.
        let white = f64::from(shade) / 255.0;
        let black = if self.negate { white } else { 1.0 - white };
        // The order matters if the thresholds overlap. It is that of ROS 2.
        if black <= self.free_thresh {
            0
        } else if black >= self.occupied_thresh {
            OCCUPIED
        } else if self.mode == Mode::Scale {
            let share = (black - self.free_thresh) / (self.occupied_thresh - self.free_thresh);
            (share * 100.0).round() as i8
        } else {
            UNKNOWN
        }
    }
}

/// Converts a grid to its YAML file and its encoded image. `name` is the name of the image file without its extension.
///
/// # Errors
///
/// Fails if the thresholds or the grid are not valid, or if the format does not support the mode.
pub fn save(
    grid: &OccupancyGrid,
    name: &str,
    mode: Mode,
    format: Format,
    thresholds: Thresholds,
) -> Result<(MapFile, Vec<u8>), MapError> {
    check_options(mode, format, thresholds)?;
    check_grid(grid)?;
    let columns = grid.width as usize;
    let cells =
        (0..grid.height as usize).rev().flat_map(|row| &grid.cells[row * columns..(row + 1) * columns]);
    let known = |cell: i8| (0..=OCCUPIED).contains(&cell);
    let shade = |cell: &i8| match mode {
        Mode::Trinary => trinary_shade(*cell, thresholds),
        Mode::Scale if known(*cell) => ((100.0 - f64::from(*cell)) / 100.0 * 255.0).round() as u8,
        Mode::Scale => u8::MAX / 2,
        Mode::Raw if known(*cell) => cell.unsigned_abs(),
        Mode::Raw => u8::MAX,
    };
    let shades: Vec<u8> = cells.clone().map(shade).collect();
    let opaque = |cell: &i8| if known(*cell) { u8::MAX } else { 0 };
    let opacity = (mode == Mode::Scale).then(|| cells.map(opaque).collect());
    let picture = Picture { width: grid.width, height: grid.height, shades, opacity };
    let saved = if mode == Mode::Trinary { TRINARY_THRESHOLDS } else { thresholds };
    let file = MapFile {
        image: format!("{name}.{}", format.extension()),
        mode,
        resolution: grid.resolution,
        origin: grid.origin,
        negate: false,
        occupied_thresh: saved.occupied,
        free_thresh: saved.free,
    };
    Ok((file, picture.encode(format)?))
}

/// Checks that maps can be saved with these options.
///
/// # Errors
///
/// Fails if the thresholds are not valid, or if the format does not support the mode.
pub fn check_options(mode: Mode, format: Format, thresholds: Thresholds) -> Result<(), MapError> {
    let Thresholds { occupied, free } = thresholds;
    if !(0.0..=1.0).contains(&occupied) || !(0.0..=1.0).contains(&free) || occupied <= free {
        let text = format!(
            "the thresholds must be from 0 to 1, and the one of free cells ({free}) below that of occupied ones ({occupied})"
        );
        return Err(MapError::Grid(text));
    }
    if mode == Mode::Scale && format != Format::Png {
        return Err(MapError::Grid("only PNG keeps what is unknown in the mode scale".into()));
    }
    Ok(())
}

/// Checks that a grid can be saved as a map.
fn check_grid(grid: &OccupancyGrid) -> Result<(), MapError> {
    let OccupancyGrid { width, height, resolution, origin, cells } = grid;
    let count = u64::from(*width) * u64::from(*height);
    let error = |text| Err(MapError::Grid(text));
    if count == 0 {
        return error(format!("a map must have a cell, and a grid of {width} x {height} has none"));
    }
    if count > MAX_PIXELS {
        return Err(MapError::TooLarge { width: *width, height: *height, most: MAX_PIXELS });
    }
    if cells.len() as u64 != count {
        return error(format!("a grid of {width} x {height} has {} cells", cells.len()));
    }
    if !is_resolution(*resolution) || origin.iter().any(|number| !number.is_finite()) {
        return error(format!(
            "the resolution must be positive, and the origin finite: {resolution}, {origin:?}"
        ));
    }
    Ok(())
}

fn trinary_shade(cell: i8, Thresholds { occupied, free }: Thresholds) -> u8 {
    let percent = |share: f64| (share * 100.0).round_ties_even() as i8;
    match cell {
        ..0 | 101.. => UNKNOWN_SHADE,
        cell if cell <= percent(free) => FREE_SHADE,
        cell if cell >= percent(occupied) => OCCUPIED_SHADE,
        _ => UNKNOWN_SHADE,
    }
}
