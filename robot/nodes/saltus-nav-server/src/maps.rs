//! Maps that are turned in their frame.

use std::borrow::Cow;

use saltus::msgs::nav_msgs::msg::{MapMetaData, OccupancyGrid};
use saltus_motion::Pose;

use crate::messages::{from_pose, to_pose};

/// The most cells of a map that was turned.
const MOST_CELLS: f64 = 4e8;

/// Returns a map whose axes are parallel to those of its frame. If the origin of the map has an angle, each cell of the result has the
/// value of the map at its centre, and is unknown outside of the map. A map that is wrong is returned as it is.
///
/// ```
/// use saltus::msgs::nav_msgs::msg::OccupancyGrid;
/// use saltus_motion::Pose;
/// let mut map = OccupancyGrid { data: vec![0, 100], ..Default::default() };
/// (map.info.width, map.info.height, map.info.resolution) = (2, 1, 1.0);
/// map.info.origin = saltus_nav_server::to_pose(&Pose::new(1.0, 0.0, 1.5708));
/// let turned = saltus_nav_server::upright(&map)?;
/// assert_eq!((turned.info.width, turned.info.height, &*turned.data), (1, 2, &[0, 100][..]));
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
///
/// Returns an error if the result has too many cells.
pub fn upright(map: &OccupancyGrid) -> Result<Cow<'_, OccupancyGrid>, String> {
    let info = &map.info;
    let resolution = f64::from(info.resolution);
    let [width, height] = [info.width, info.height].map(f64::from);
    let is_right = map.data.len() as f64 == width * height && resolution > 0.0 && resolution.is_finite();
    // An angle that moves no corner by half a cell is a matter of rounding.
    let is_turned = |origin: &Pose| origin.yaw.abs() * width.max(height) >= 0.5;
    let Some(origin) = from_pose(&info.origin).filter(|origin| is_right && is_turned(origin)) else {
        return Ok(Cow::Borrowed(map));
    };
    let corners = [[0.0, 0.0], [width, 0.0], [0.0, height], [width, height]]
        .map(|[x, y]| origin.then(&Pose::new(x * resolution, y * resolution, 0.0)).to_array());
    let limits = [0, 1].map(|axis: usize| {
        let parts = corners.map(|corner| corner[axis]);
        (parts.into_iter().fold(f64::INFINITY, f64::min), parts.into_iter().fold(f64::NEG_INFINITY, f64::max))
    });
    // Without the hundredth of a cell, 1.5708 would add a row: it is not quite a quarter of a turn.
    let [columns, rows] = limits.map(|(low, high)| ((high - low) / resolution - 0.01).ceil().max(1.0));
    if columns * rows > MOST_CELLS {
        return Err(format!("turned by {:.4} rad, it has {columns} x {rows} cells", origin.yaw));
    }
    let (columns, rows, [(left, _), (bottom, _)]) = (columns as u32, rows as u32, limits);
    let (sine, cosine) = origin.yaw.sin_cos();
    let value = |column: u32, row: u32| {
        let x = left - origin.x + (f64::from(column) + 0.5) * resolution;
        let y = bottom - origin.y + (f64::from(row) + 0.5) * resolution;
        let [x, y] = [cosine * x + sine * y, cosine * y - sine * x].map(|part| (part / resolution).floor());
        match (0.0..width).contains(&x) && (0.0..height).contains(&y) {
            true => map.data[y as usize * info.width as usize + x as usize],
            false => -1,
        }
    };
    let data = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
    let data = data.map(|(column, row)| value(column, row)).collect();
    let origin = to_pose(&Pose::new(left, bottom, 0.0));
    let info = MapMetaData { width: columns, height: rows, origin, ..info.clone() };
    Ok(Cow::Owned(OccupancyGrid { header: map.header.clone(), info, data }))
}
