//! The map of a world, as a robot would make it.

use saltus_map::{OCCUPIED, OccupancyGrid, UNKNOWN};

use crate::{pose::Point, shape::Shape, world::World};

impl World {
    /// Returns the map that a robot would make which starts at the point `start` and drives everywhere. The cells that it can reach are
    /// free, the obstacles around them are occupied, and all other cells are unknown. Obstacles that move are left out. The map has the
    /// size, the resolution and the origin of `empty`.
    ///
    /// ```
    /// use saltus_map::OccupancyGrid;
    /// use saltus_sim::World;
    /// let world = World::parse("obstacles:\n- box: {center: [1.0, 0.0], size: [1.0, 4.0]}\n")?;
    /// let empty = OccupancyGrid { width: 20, height: 20, resolution: 0.1, origin: [0.0, -1.0, 0.0], cells: vec![0; 400] };
    /// let map = world.map(empty, [0.2, 0.0]);
    /// assert_eq!((map.cell(4, 10), map.cell(5, 10), map.cell(6, 10)), (Some(0), Some(100), Some(-1)));
    /// # Ok::<(), saltus_sim::WorldError>(())
    /// ```
    #[must_use]
    pub fn map(&self, empty: OccupancyGrid, start: [f64; 2]) -> OccupancyGrid {
        let mut map = empty;
        map.cells.fill(UNKNOWN);
        let (width, height) = (map.width, map.height);
        let solid: Vec<bool> = (0..height)
            .flat_map(|row| (0..width).map(move |column| (column, row)))
            .map(|(column, row)| {
                let [x, y] = map.center(column, row);
                self.obstacles.iter().any(|shape| shape.contains(Point::new(x, y)))
            })
            .collect();
        let index = |column: u32, row: u32| row as usize * width as usize + column as usize;
        let mut pending: Vec<(u32, u32)> =
            map.cell_at(start).filter(|(column, row)| !solid[index(*column, *row)]).into_iter().collect();
        for (column, row) in &pending {
            map.cells[index(*column, *row)] = 0;
        }
        while let Some((column, row)) = pending.pop() {
            for (across, up) in [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)] {
                let neighbour = column.checked_add_signed(across).zip(row.checked_add_signed(up));
                let Some((column, row)) = neighbour.filter(|(column, row)| *column < width && *row < height)
                else {
                    continue;
                };
                let cell = &mut map.cells[index(column, row)];
                if *cell != UNKNOWN {
                    continue;
                }
                if solid[index(column, row)] {
                    *cell = OCCUPIED;
                } else if across == 0 || up == 0 {
                    *cell = 0;
                    pending.push((column, row));
                }
            }
        }
        map
    }
}

impl Shape {
    /// Whether a point is in the shape.
    fn contains(&self, point: Point) -> bool {
        match self {
            Self::Circle { center, radius } => (point - *center).length() <= *radius,
            Self::Polygon(points) => {
                let ends = points.iter().cycle().skip(1);
                points.iter().zip(ends).all(|(from, to)| (to - from).perp_dot(point - from) >= 0.0)
            }
        }
    }
}
