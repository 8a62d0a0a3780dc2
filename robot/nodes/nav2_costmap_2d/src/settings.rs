//! The values of the parameters.

use std::time::Duration;

use saltus::{component::ComponentError, param::ParameterError};
use saltus_costmap::{Costmap as Grid, FREE, Footprint, UNKNOWN};
use saltus_server::{Parameters, plugin_type};

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

impl Settings {
    /// Returns the values of the parameters. Declares those that were not declared before.
    pub(crate) fn read(parameters: &Parameters) -> Result<Self, ComponentError> {
        let resolution: f64 = parameters.get("resolution", 0.1)?;
        let side = |name| -> Result<f64, ParameterError> { Ok(f64::from(parameters.count(name, 5)?)) };
        let (width, height) = (side("width")? / resolution, side("height")? / resolution);
        if !(resolution > 0.0 && resolution.is_finite() && width * height <= MOST_CELLS) {
            return Err(
                format!("a costmap can't have {width:.0} x {height:.0} cells of {resolution} m").into()
            );
        }
        let origin = [parameters.get("origin_x", 0.0)?, parameters.get("origin_y", 0.0)?];
        let padding: f64 = parameters.get("footprint_padding", 0.01)?;
        let is_rolling = parameters.get("rolling_window", false)?;
        Ok(Self {
            global_frame: parameters.text("global_frame", "map")?,
            base_frame: parameters.text("robot_base_frame", "base_link")?,
            // A rounding error must not remove a column or a row.
            size: ((width + 1e-9) as u32, (height + 1e-9) as u32),
            resolution,
            origin,
            is_rolling,
            track_unknown: parameters.get("track_unknown_space", false)?,
            footprint: footprint(parameters)?.padded(padding),
            padding,
            update_period: period(parameters, "update_frequency", 5.0)?,
            publish_period: period(parameters, "publish_frequency", 1.0)?,
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

/// Returns the time between two cycles; `None` if there are none.
fn period(parameters: &Parameters, name: &str, default: f64) -> Result<Option<Duration>, ParameterError> {
    let frequency: f64 = parameters.get(name, default)?;
    if frequency > 0.0 { parameters.period(name, default).map(Some) } else { Ok(None) }
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
    let radius: f64 = parameters.get("robot_radius", 0.1)?;
    let corners: Vec<[f64; 2]> = match text.trim() {
        "" | "[]" => Vec::new(),
        text => serde_json::from_str(text)
            .map_err(|error| format!("the footprint '{text}' can't be read: {error}"))?,
    };
    if corners.is_empty() {
        return match radius > 0.0 && radius.is_finite() {
            true => Ok(Footprint::circle(radius)),
            false => Err("`robot_radius` must be positive".into()),
        };
    }
    Footprint::polygon(corners).ok_or_else(|| {
        format!("You must specify at least three points for the robot footprint: {text}").into()
    })
}
