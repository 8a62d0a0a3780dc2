//! Rectangles of cells, and rectangles in the frame of a map.

/// A rectangle of cells. The column `right` and the row `top` are not part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// The first column.
    pub left: u32,
    /// The first row.
    pub bottom: u32,
    /// The column after the last one.
    pub right: u32,
    /// The row after the last one.
    pub top: u32,
}

impl Area {
    /// Whether the area has no cells.
    pub fn is_empty(&self) -> bool {
        self.left >= self.right || self.bottom >= self.top
    }

    /// Returns the area with `cells` more on each side, limited to a grid of `(width, height)` cells.
    pub(crate) fn grown(&self, cells: u32, (width, height): (u32, u32)) -> Self {
        if self.is_empty() {
            return Self::default();
        }
        Self {
            left: self.left.saturating_sub(cells),
            bottom: self.bottom.saturating_sub(cells),
            right: self.right.saturating_add(cells).min(width),
            top: self.top.saturating_add(cells).min(height),
        }
    }
}

/// A rectangle in the frame of a map, in metres. The default is empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The lowest x and y.
    pub low: [f64; 2],
    /// The highest x and y.
    pub high: [f64; 2],
}

impl Default for Bounds {
    fn default() -> Self {
        Self { low: [f64::INFINITY; 2], high: [f64::NEG_INFINITY; 2] }
    }
}

impl Bounds {
    /// Whether the bounds contain no point.
    pub fn is_empty(&self) -> bool {
        !(self.low[0] <= self.high[0] && self.low[1] <= self.high[1])
    }

    /// Extends the bounds to contain a point.
    pub fn include(&mut self, point: [f64; 2]) {
        let [x, y] = point;
        self.low = [self.low[0].min(x), self.low[1].min(y)];
        self.high = [self.high[0].max(x), self.high[1].max(y)];
    }

    /// Extends the bounds to contain other bounds.
    pub fn merge(&mut self, other: &Self) {
        if !other.is_empty() {
            self.include(other.low);
            self.include(other.high);
        }
    }

    /// Returns the bounds with `margin` more on each side, in metres.
    pub(crate) fn grown(&self, margin: f64) -> Self {
        Self { low: self.low.map(|part| part - margin), high: self.high.map(|part| part + margin) }
    }
}
