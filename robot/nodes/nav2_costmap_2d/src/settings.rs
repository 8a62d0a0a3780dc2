//! The values of the parameters.

use std::{ops::RangeInclusive, time::Duration};

use saltus::component::ComponentError;
use saltus_costmap::{Costmap as Grid, FREE, Footprint, UNKNOWN};
use saltus_server::{Parameters, plugin_type, range};

/// The values of the parameters of a costmap.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    pub(crate) global_frame: String,
    pub(crate) base_frame: String,
    /// The columns and rows.
    pub(crate) size: (u32, u32),
    pub(crate) resolution: f64,
    pub(crate) origin: [f64; 2],
    pub(crate) is_rolling: bool,
    pub(crate) track_unknown: bool,
    pub(crate) footprint: Footprint,
    pub(crate) padding: f64,
    /// The time between two updates; `None` for no updates.
    pub(crate) update_period: Option<Duration>,
    /// The time between two messages with costs; `None` for no messages.
    pub(crate) publish_period: Option<Duration>,
    pub(crate) always_sends_all: bool,
    /// The longest time for which the activation waits for the pose of the robot.
    pub(crate) transform_timeout: Duration,
    /// The names and the types of the layers.
    pub(crate) layers: Vec<(String, String)>,
}

const LAYERS: [(&str, &str); 3] = [
    ("static_layer", "nav2_costmap_2d::StaticLayer"),
    ("obstacle_layer", "nav2_costmap_2d::ObstacleLayer"),
    ("inflation_layer", "nav2_costmap_2d::InflationLayer"),
];
/// The largest number of cells of a costmap. More would need too much memory.
const MOST_CELLS: f64 = 100_000_000.0;
/// The longest side of a costmap, in metres.
const LONGEST_SIDE: u32 = 1_000_000;
/// The radius of the largest robot, in metres.
const LARGEST_ROBOT: f64 = 1000.0;
/// The coordinates that a costmap may have, in metres.
const FARTHEST: RangeInclusive<f64> = -1e9..=1e9;

impl Settings {
    /// Returns the values of the parameters. Declares those that were not declared before.
    pub(crate) fn read(parameters: &Parameters) -> Result<Self, ComponentError> {
        let resolution = parameters.number("resolution", 0.1, range::POSITIVE)?;
        let side = |name| parameters.count(name, 5, 1..=LONGEST_SIDE).map(f64::from);
        let (width, height) = (side("width")? / resolution, side("height")? / resolution);
        // A rounding error must not remove a column or a row.
        let size = [width, height].map(|side| (side + 1e-9) as u32);
        if size.contains(&0) || width * height > MOST_CELLS {
            return Err(
                format!("a costmap can't have {width:.0} x {height:.0} cells of {resolution} m").into()
            );
        }
        let origin = |name| parameters.number(name, 0.0, FARTHEST);
        let padding = parameters.number("footprint_padding", 0.01, -LARGEST_ROBOT..=LARGEST_ROBOT)?;
        let is_rolling = parameters.get("rolling_window", false)?;
        Ok(Self {
            global_frame: parameters.text("global_frame", "map")?,
            base_frame: parameters.text("robot_base_frame", "base_link")?,
            size: size.into(),
            resolution,
            origin: [origin("origin_x")?, origin("origin_y")?],
            is_rolling,
            track_unknown: parameters.get("track_unknown_space", false)?,
            footprint: footprint(parameters)?.padded(padding),
            padding,
            update_period: parameters.optional_period("update_frequency", 5.0)?,
            publish_period: parameters.optional_period("publish_frequency", 1.0)?,
            always_sends_all: parameters.get("always_send_full_costmap", false)?,
            transform_timeout: parameters.seconds("initial_transform_timeout", 60.0)?,
            layers: layers(parameters)?,
        })
    }

    /// Returns the default cost of cells.
    pub(crate) fn default_cost(&self) -> u8 {
        if self.track_unknown { UNKNOWN } else { FREE }
    }

    /// Returns an empty grid.
    pub(crate) fn grid(&self) -> Grid {
        Grid::new(self.size, self.resolution, self.origin, self.default_cost())
    }
}

fn layers(parameters: &Parameters) -> Result<Vec<(String, String)>, ComponentError> {
    let filters = parameters.texts("filters", &[])?.join(" ");
    if !filters.trim().is_empty() {
        return Err(format!("there are no costmap filters, but `filters` names {filters}").into());
    }
    let defaults = LAYERS.map(|(name, _)| name);
    let names = parameters.texts("plugins", &defaults)?;
    // As in Nav2, these names are not default plugins if the user names plugins.
    let known: &[_] = if names == defaults { &LAYERS } else { &[] };
    let typed = |name: String| Ok((name.clone(), plugin_type(parameters, &name, known)?));
    names.into_iter().map(typed).collect()
}

/// Returns the footprint without padding: that of `footprint`, or a circle of `robot_radius`.
fn footprint(parameters: &Parameters) -> Result<Footprint, ComponentError> {
    let text = parameters.text("footprint", "[]")?;
    let radius = parameters.number("robot_radius", 0.1, 0.0..=LARGEST_ROBOT)?;
    let corners: Vec<[f64; 2]> = match text.trim() {
        "" | "[]" => Vec::new(),
        text => serde_json::from_str(text)
            .map_err(|error| format!("the footprint '{text}' can't be read: {error}"))?,
    };
    if corners.is_empty() {
        return match radius > 0.0 {
            true => Ok(Footprint::circle(radius)),
            false => Err("`robot_radius` must be positive".into()),
        };
    }
    Footprint::polygon(corners).ok_or_else(|| {
        format!("You must specify at least three points for the robot footprint: {text}").into()
    })
}
