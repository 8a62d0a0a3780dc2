//! The layers by name.

use std::{
    any::Any,
    borrow::Cow,
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use saltus::{
    QoS, Time,
    component::ComponentError,
    msgs::{map_msgs::msg::OccupancyGridUpdate, nav_msgs::msg::OccupancyGrid, sensor_msgs::msg::Range},
    types::lock,
};
use saltus_costmap::{
    Area, Combination, Costmap as Grid, DenoiseLayer, InflationLayer, MAX_VOXELS, MapInput, ObstacleLayer,
    ObstacleSettings, RangeLayer, RangeReading, RangeReadings, RangeSettings, StaticLayer, StaticSettings,
    UnknownCells, VoxelLayer, VoxelSettings,
};
use saltus_nav_server::{from_pose, from_transform, upright};
use saltus_server::{Parameters, range};

use crate::{
    context::{CreatedLayer, LayerContext},
    live::Live,
    sources::sources,
};

type MakeLayer = Arc<dyn Fn(&LayerContext<'_>) -> Result<CreatedLayer, ComponentError> + Send + Sync>;

/// The types of layers that a costmap knows, by their names.
///
/// A user adds other types, and creates a costmap with them: see [`CostmapNode::new`](crate::CostmapNode::new).
#[derive(Clone)]
pub struct LayerTypes(BTreeMap<String, MakeLayer>);

impl std::fmt::Debug for LayerTypes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl LayerTypes {
    /// Returns the layers of Nav2.
    pub fn standard() -> Self {
        let mut types = Self(BTreeMap::new());
        types
            .add("nav2_costmap_2d::StaticLayer", static_layer)
            .add("nav2_costmap_2d::ObstacleLayer", obstacle_layer)
            .add("nav2_costmap_2d::VoxelLayer", voxel_layer)
            .add("nav2_costmap_2d::RangeSensorLayer", range_layer)
            .add("nav2_costmap_2d::InflationLayer", inflation_layer)
            .add("nav2_costmap_2d::DenoiseLayer", denoise_layer);
        types
    }

    /// Adds a type. A type with the same name is replaced.
    pub fn add(
        &mut self,
        kind: &str,
        make: impl Fn(&LayerContext<'_>) -> Result<CreatedLayer, ComponentError> + Send + Sync + 'static,
    ) -> &mut Self {
        self.0.insert(kind.to_owned(), Arc::new(make));
        self
    }

    /// Creates a layer of a type.
    pub(crate) fn create(
        &self,
        kind: &str,
        context: &LayerContext<'_>,
    ) -> Result<CreatedLayer, ComponentError> {
        let Some(make) = self.0.get(kind) else {
            let known: Vec<&str> = self.0.keys().map(String::as_str).collect();
            return Err(format!(
                "According to the loaded plugin descriptions the class {kind} does not exist. Declared types are {}",
                known.join(" ")
            )
            .into());
        };
        make(context)
    }
}

fn obstacle_settings(context: &LayerContext<'_>) -> Result<ObstacleSettings, ComponentError> {
    let combination = match context.parameters.whole("combination_method", 1, 0..=2)? {
        0 => Combination::Overwrite,
        1 => Combination::Maximum,
        _ => Combination::MaximumOfKnown,
    };
    let clear_footprint = context.parameters.get("footprint_clearing_enabled", true)?;
    Ok(ObstacleSettings { track_unknown: context.track_unknown, clear_footprint, combination })
}

fn obstacle_layer(context: &LayerContext<'_>) -> Result<CreatedLayer, ComponentError> {
    let (observations, kept) =
        sources(context)?.into_iter().map(|source| (source.observations, source.subscription)).unzip();
    let layer = ObstacleLayer::new(obstacle_settings(context)?, observations);
    Ok(CreatedLayer::new(Live::new(layer, &context.parameters, context.is_changed, |_, _| Ok(()))?, kept))
}

fn voxel_layer(context: &LayerContext<'_>) -> Result<CreatedLayer, ComponentError> {
    let (observations, kept) =
        sources(context)?.into_iter().map(|source| (source.observations, source.subscription)).unzip();
    let parameters = &context.parameters;
    let settings = VoxelSettings {
        obstacles: obstacle_settings(context)?,
        origin_z: parameters.number("origin_z", 0.0, range::FINITE)?,
        z_resolution: parameters.number("z_resolution", 0.2, range::POSITIVE)?,
        z_voxels: parameters.count("z_voxels", 10, 0..=MAX_VOXELS)?,
        unknown_threshold: parameters.count("unknown_threshold", 15, 0..=MAX_VOXELS)?,
        mark_threshold: parameters.count("mark_threshold", 0, 0..=MAX_VOXELS)?,
    };
    let layer = VoxelLayer::new(settings, observations);
    Ok(CreatedLayer::new(Live::new(layer, parameters, context.is_changed, |_, _| Ok(()))?, kept))
}

/// The largest distance from obstacles to which costs are inflated, in metres.
const FARTHEST_INFLATION: f64 = 1000.0;

fn inflation_layer(context: &LayerContext<'_>) -> Result<CreatedLayer, ComponentError> {
    let configure = |layer: &mut InflationLayer, parameters: &Parameters| {
        let unknown = UnknownCells {
            are_inflated: parameters.get("inflate_unknown", false)?,
            are_obstacles: parameters.get("inflate_around_unknown", false)?,
        };
        let radius = parameters.number("inflation_radius", 0.55, 0.0..=FARTHEST_INFLATION)?;
        let scaling = parameters.number("cost_scaling_factor", 10.0, range::NOT_NEGATIVE)?;
        layer.configure(radius, scaling, unknown);
        Ok(())
    };
    let layer = InflationLayer::new(0.55, 10.0);
    Ok(CreatedLayer::new(Live::new(layer, &context.parameters, context.is_changed, configure)?, Vec::new()))
}

fn denoise_layer(context: &LayerContext<'_>) -> Result<CreatedLayer, ComponentError> {
    let parameters = &context.parameters;
    let fewest = parameters.count("minimal_group_size", 2, 0..=u32::MAX)?;
    let has_corners = parameters.whole_in_steps("group_connectivity_type", 8, 4..=8, 4)? == 8;
    let layer = DenoiseLayer::new(fewest as usize, has_corners);
    Ok(CreatedLayer::new(Live::new(layer, parameters, context.is_changed, |_, _| Ok(()))?, Vec::new()))
}

fn range_layer(context: &LayerContext<'_>) -> Result<CreatedLayer, ComponentError> {
    let parameters = &context.parameters;
    let settings = RangeSettings {
        phi: parameters.number("phi", 1.2, range::NOT_NEGATIVE)?,
        clear_threshold: parameters.number("clear_threshold", 0.2, range::SHARE)?,
        mark_threshold: parameters.number("mark_threshold", 0.8, range::SHARE)?,
        clear_on_max_reading: parameters.get("clear_on_max_reading", false)?,
        no_readings_timeout: parameters.seconds("no_readings_timeout", 0.0)?,
    };
    let topics = parameters.texts("topics", &[])?;
    if topics.is_empty() {
        return Err("Invalid topic list: it is empty.".into());
    }
    let readings = Arc::new(RangeReadings::default());
    let mut kept: Vec<Box<dyn Any + Send>> = Vec::new();
    for topic in topics.iter().map(|topic| context.topic(topic)) {
        let (readings, frames, target) =
            (readings.clone(), context.frames.clone(), context.global_frame.to_owned());
        let logger = context.node.logger();
        let receive = move |range: Range| {
            let (frame, stamp) =
                (range.header.frame_id.trim_start_matches('/'), Time::from(range.header.stamp));
            match frames.buffer().lookup(&target, frame, stamp) {
                Ok(found) => readings.add(RangeReading {
                    pose: from_transform(&found.transform).to_array(),
                    field_of_view: f64::from(range.field_of_view),
                    limits: [f64::from(range.min_range), f64::from(range.max_range)],
                    range: f64::from(range.range),
                }),
                Err(error) => {
                    saltus::info!(
                        logger,
                        "Range sensor layer can't transform from {target} to {frame}: {error}"
                    );
                }
            }
        };
        let qos = QoS::sensor_data();
        kept.push(Box::new(
            context.node.subscription(&topic).qos(qos).callback_group(context.group).callback(receive)?,
        ));
    }
    let layer = RangeLayer::new(settings, readings);
    Ok(CreatedLayer::new(Live::new(layer, parameters, context.is_changed, |_, _| Ok(()))?, kept))
}

/// The settings of the layer with a map. As in Nav2, some belong to the costmap.
fn static_settings(context: &LayerContext<'_>) -> Result<StaticSettings, ComponentError> {
    let common = Parameters::new(context.node);
    Ok(StaticSettings {
        lethal_threshold: common.count("lethal_cost_threshold", 100, 0..=100)? as u8,
        // -1 is 255, as in Nav2 and in the data of maps.
        unknown_value: common.whole("unknown_cost_value", 255, -1..=255)? as u8,
        track_unknown: context.track_unknown,
        trinary: common.get("trinary_costmap", true)?,
        use_maximum: common.get("use_maximum", false)?,
        clear_footprint: context.parameters.get("footprint_clearing_enabled", false)?,
    })
}

fn static_layer(context: &LayerContext<'_>) -> Result<CreatedLayer, ComponentError> {
    let parameters = &context.parameters;
    let settings = static_settings(context)?;
    let own = parameters.text("map_topic", "")?;
    let common = Parameters::new(context.node).text("map_topic", "map")?;
    let topic = context.topic(if own.is_empty() { &common } else { &own });
    let input = Arc::new(MapInput::default());
    let frame = Arc::new(Mutex::new(String::new()));
    let is_turned = Arc::new(AtomicBool::new(false));
    let maps = {
        let (input, frame, size, logger) =
            (input.clone(), frame.clone(), context.size.clone(), context.node.logger());
        let is_rolling = context.is_rolling;
        let default = if context.track_unknown { saltus_costmap::UNKNOWN } else { saltus_costmap::FREE };
        let is_turned = is_turned.clone();
        move |map: OccupancyGrid| {
            let upright = upright(&map);
            is_turned.store(matches!(upright, Ok(Cow::Owned(_))), Ordering::Relaxed);
            match upright.and_then(|map| grid_of(&map, &settings)) {
                Ok(grid) => {
                    let empty = || Grid::new(grid.size(), grid.resolution(), grid.origin(), default);
                    if !is_rolling {
                        *lock(&size) = Some(empty());
                    }
                    *lock(&frame) = map.header.frame_id.trim_start_matches('/').to_owned();
                    input.set(grid);
                }
                Err(error) => saltus::error!(logger, "Received map message is malformed. Rejecting: {error}"),
            }
        }
    };
    let qos = match parameters.get("map_subscribe_transient_local", true)? {
        true => QoS::keep_last(1).transient_local(),
        false => QoS::keep_last(10),
    };
    let subscription =
        context.node.subscription(&topic).qos(qos).callback_group(context.group).callback(maps)?;
    let mut kept: Vec<Box<dyn Any + Send>> = vec![Box::new(subscription)];
    if parameters.get("subscribe_to_updates", false)? {
        kept.push(map_updates(context, &topic, settings, &input, &is_turned)?);
    }
    let layer = StaticLayer::new(settings, input.clone());
    let live = Live::new(layer, parameters, context.is_changed, |_, _| Ok(()))?;
    let (frames, target) = (context.frames.clone(), context.global_frame.to_owned());
    // The map may be in another frame than the costmap.
    let update = move || {
        let source = lock(&frame).clone();
        if !source.is_empty()
            && source != target
            && let Ok((pose, _)) = frames.pose(&target, &source)
        {
            input.place(pose.to_array());
        }
    };
    Ok(CreatedLayer { layer: Box::new(live), before_update: Some(Box::new(update)), kept })
}

/// Subscribes to parts of a map.
fn map_updates(
    context: &LayerContext<'_>,
    topic: &str,
    settings: StaticSettings,
    input: &Arc<MapInput>,
    is_turned: &Arc<AtomicBool>,
) -> Result<Box<dyn Any + Send>, ComponentError> {
    let (input, is_turned, logger) = (input.clone(), is_turned.clone(), context.node.logger());
    let change = move |update: OccupancyGridUpdate| {
        if is_turned.load(Ordering::Relaxed) {
            return saltus::log::warn_throttle!(
                logger,
                std::time::Duration::from_secs(10),
                "StaticLayer: Map update ignored: the origin of the map has an angle."
            );
        }
        let part = |value: i32| u32::try_from(value).ok();
        let area = part(update.x).zip(part(update.y)).map(|(left, bottom)| Area {
            left,
            bottom,
            right: left.saturating_add(update.width),
            top: bottom.saturating_add(update.height),
        });
        let Some(area) = area else {
            return saltus::warn!(logger, "StaticLayer: Map update ignored: it is outside of the map.");
        };
        if !input.change(area, update.data.iter().map(|value| settings.cost(*value)).collect()) {
            saltus::warn!(logger, "StaticLayer: Map update ignored: too many wait for the next update.");
        }
    };
    let topic = format!("{topic}_updates");
    Ok(Box::new(context.node.subscription(&topic).callback_group(context.group).callback(change)?))
}

/// Returns the costs of a map, or the problem of the map.
fn grid_of(map: &OccupancyGrid, settings: &StaticSettings) -> Result<Grid, String> {
    let info = &map.info;
    let (width, height) = (info.width, info.height);
    let count = u64::from(width) * u64::from(height);
    if count == 0 || map.data.len() as u64 != count {
        return Err(format!("a map of {width} x {height} cells has {} values", map.data.len()));
    }
    let resolution = f64::from(info.resolution);
    if !(resolution > 1e-6 && resolution.is_finite()) {
        return Err(format!("its resolution is {resolution} m"));
    }
    let origin = from_pose(&info.origin).ok_or("its origin is not a pose")?;
    if map.header.frame_id.is_empty() {
        return Err("it has no frame".into());
    }
    let mut grid = Grid::new((width, height), resolution, [origin.x, origin.y], 0);
    let costs: Vec<u8> = map.data.iter().map(|value| settings.cost(*value)).collect();
    let area = grid.area();
    grid.fill(area, &costs);
    Ok(grid)
}
