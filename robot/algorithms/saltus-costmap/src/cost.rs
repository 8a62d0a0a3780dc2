//! The costs of cells.
//!
//! Source: `nav2_costmap_2d`, which defines these values.

/// The cost of a cell without obstacles.
pub const FREE: u8 = 0;
/// The cost of a cell that is nearer to an obstacle than the inscribed radius of the robot. A robot whose centre is in a cell of this
/// cost or more touches an obstacle.
pub const INSCRIBED: u8 = 253;
/// The cost of a cell with an obstacle.
pub const LETHAL: u8 = 254;
/// The cost of a cell that is unknown.
pub const UNKNOWN: u8 = 255;

/// Converts a cost to a value of an occupancy grid: 0 to 100, or -1 for an unknown cell.
///
/// ```
/// use saltus_costmap::{INSCRIBED, LETHAL, UNKNOWN, occupancy};
/// assert_eq!([0, 1, 252, INSCRIBED, LETHAL, UNKNOWN].map(occupancy), [0, 1, 98, 99, 100, -1]);
/// ```
pub fn occupancy(cost: u8) -> i8 {
    match cost {
        FREE => 0,
        INSCRIBED => 99,
        LETHAL => 100,
        UNKNOWN => -1,
        // At most 98.
        cost => (1 + 97 * (i32::from(cost) - 1) / 251) as i8,
    }
}
