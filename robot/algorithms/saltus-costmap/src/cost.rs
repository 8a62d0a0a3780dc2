//! The costs of cells.
//!
//! Source: `nav2_costmap_2d`, whose values and messages these are.

/// The cost of a cell without obstacles.
pub const FREE: u8 = 0;
/// From this cost on, the centre of a robot in the cell means that the robot touches an obstacle: the cell is nearer to one than
/// the inscribed radius of the robot.
pub const INSCRIBED: u8 = 253;
/// The cost of a cell with an obstacle.
pub const LETHAL: u8 = 254;
/// The cost of a cell of which nothing is known.
pub const UNKNOWN: u8 = 255;

/// Returns the value of a cost in an occupancy grid: 0 to 100, or -1 if it is unknown.
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
