//! A world: obstacles and robots. Reads worlds from YAML.

use std::collections::BTreeMap;

use saltus_map::{MapFile, OCCUPIED, OccupancyGrid, Picture};
use saltus_yaml::Node;

use crate::{
    Command, Model, WorldError,
    fields::{
        ANY, Fields, FileLoader, NOT_NEGATIVE, POSITIVE, Result, numbers, points, relative_path, text,
        text_file,
    },
    pose::{Point, Pose},
    sensor::{RATES, Sensor, SensorKind},
    shape::Shape,
    shapes::{ring, shape, wall},
};

/// A world at the start of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct World {
    /// The name.
    pub name: String,
    /// The time of one step, in nanoseconds.
    pub step: i64,
    /// The seed of the noise of all sensors.
    pub seed: u64,
    /// The rate of `/clock`, in Hz.
    pub clock_rate: f64,
    /// The height of all obstacles for cameras, in metres.
    pub height: f64,
    /// The obstacles that do not move.
    pub obstacles: Vec<Shape>,
    /// The obstacles that move.
    pub moving: Vec<MovingObstacleSpec>,
    /// The robots.
    pub robots: Vec<RobotSpec>,
}

/// An obstacle that moves.
#[derive(Clone, Debug, PartialEq)]
pub struct MovingObstacleSpec {
    /// The name, unique in its world.
    pub name: String,
    /// The shape in the frame of the obstacle.
    pub shape: Shape,
    /// The pose at the start.
    pub pose: Pose,
    /// The motion.
    pub motion: ObstacleMotion,
}

/// The motion of an obstacle.
#[derive(Clone, Debug, PartialEq)]
pub enum ObstacleMotion {
    /// A closed path from point to point with a constant speed. Nothing stops the obstacle.
    Path {
        /// The points.
        points: Vec<Point>,
        /// The speed, in m/s.
        speed: f64,
    },
    /// No motion of its own: robots push the obstacle.
    Pushed {
        /// The mass, in kg.
        mass: f64,
        /// The damping of the velocity, in 1/s: the velocity falls to 37 % in the inverse of this time.
        damping: f64,
    },
}

/// A robot in a world.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotSpec {
    /// The name, unique in its world.
    pub name: String,
    /// The namespace of its topics.
    pub namespace: String,
    /// The model of the robot.
    pub model: Model,
    /// The pose at the start.
    pub pose: Pose,
    /// The scheduled commands with their times in nanoseconds, in order.
    pub commands: Vec<(i64, Command)>,
}

/// The maximum number of obstacles in a world.
const MAX_OBSTACLES: usize = 1_000_000;

impl Default for World {
    fn default() -> Self {
        Self {
            name: "world".into(),
            step: 1_000_000,
            seed: 0,
            clock_rate: 10.0,
            height: 0.5,
            obstacles: Vec::new(),
            moving: Vec::new(),
            robots: Vec::new(),
        }
    }
}

impl World {
    /// Reads a world in YAML that names no other files.
    ///
    /// # Errors
    ///
    /// Fails if the text is not YAML, or if a key is missing, not known or has an invalid value.
    pub fn parse(text: &str) -> Result<Self, WorldError> {
        Self::parse_with(text, &mut |_| Err("this world must not name other files".into()))
    }

    /// Reads a world in YAML. `load` reads the files of maps and models by the paths in the world.
    ///
    /// # Errors
    ///
    /// Fails as [`parse`](Self::parse), or if `load` fails.
    pub fn parse_with(text: &str, load: FileLoader<'_>) -> Result<Self, WorldError> {
        let document = saltus_yaml::parse(text)?;
        let fields = Fields::new(&document)?;
        let default = Self::default();
        let seconds = fields.number_or("step", (1e-5, 0.1), 1e-3)?;
        let mut world = Self {
            name: fields.text_or("name", &default.name)?,
            step: (seconds * 1e9).round() as i64,
            seed: fields.find("seed").map_or(Ok(0), seed)?,
            clock_rate: fields.number_or("clock_rate", RATES, default.clock_rate)?,
            height: fields.number_or("height", POSITIVE, default.height)?,
            ..default
        };
        for node in fields.list("obstacles")? {
            world.obstacles.extend(obstacles(node, load)?);
        }
        for node in fields.list("moving")? {
            world.moving.push(moving(node)?);
        }
        for node in fields.list("robots")? {
            let robot = robot(node, load)?;
            world.robots.push(robot);
        }
        fields.finish()?;
        world.check()?;
        Ok(world)
    }

    /// Creates a world whose obstacles are the occupied cells of a map.
    ///
    /// # Errors
    ///
    /// Fails if there are too many obstacles, or if the map is too far away.
    pub fn from_map(grid: &OccupancyGrid) -> Result<Self, WorldError> {
        Ok(Self { name: "map".into(), obstacles: occupied(grid)?, ..Self::default() })
    }

    /// Checks that names are unique, that there are not too many obstacles, and that all robots are valid.
    pub(crate) fn check(&self) -> Result<(), WorldError> {
        let error = |text: String| Err(WorldError::Content(text));
        let names = self.robots.iter().map(|robot| &robot.name);
        let mut names: Vec<&String> = names.chain(self.moving.iter().map(|moving| &moving.name)).collect();
        names.sort();
        if let Some([name, _]) = names.array_windows().find(|[left, right]| left == right) {
            return error(format!("two things have the name `{name}`"));
        }
        if self.obstacles.len() > MAX_OBSTACLES {
            return error(format!(
                "a world may have {MAX_OBSTACLES} obstacles, and this one has {}",
                self.obstacles.len()
            ));
        }
        self.robots.iter().try_for_each(|robot| self.check_robot(robot)).map_err(WorldError::Content)
    }

    /// Checks that a robot is within the range of exact coordinates, and that its cameras are not above the obstacles.
    pub(crate) fn check_robot(&self, robot: &RobotSpec) -> Result<(), String> {
        if !robot.pose.is_within(ANY.1) {
            return Err(format!("the robot `{}` is more than {} m away", robot.name, ANY.1));
        }
        let is_too_high = |sensor: &&Sensor| {
            matches!(sensor.kind, SensorKind::Camera(_)) && sensor.mount.height > self.height
        };
        match robot.model.sensors.iter().find(is_too_high) {
            Some(Sensor { topic, .. }) => {
                let height = self.height;
                Err(format!("the camera `{topic}` is above the obstacles, which are {height} m high"))
            }
            None => Ok(()),
        }
    }
}

fn seed(node: &Node) -> Result<u64> {
    let seed = node.as_integer().and_then(|seed| u64::try_from(seed).ok());
    seed.ok_or_else(|| node.error("`seed` must be a whole number"))
}

/// Reads the shapes of an entry of `obstacles`.
fn obstacles(node: &Node, load: FileLoader<'_>) -> Result<Vec<Shape>, WorldError> {
    let fields = Fields::new(node)?;
    let mut shapes: Vec<Shape> = shape(&fields)?.into_iter().collect();
    if let Some(node) = fields.find("wall") {
        shapes.extend(wall(node)?);
    }
    if let Some(node) = fields.find("ring") {
        shapes.extend(ring(node)?);
    }
    if let Some(node) = fields.find("map") {
        shapes.extend(map(node, load)?);
    }
    if shapes.is_empty() {
        return Err(node
            .error("an obstacle is a circle, a box, a polygon, a regular polygon, a wall, a ring or a map")
            .into());
    }
    fields.finish()?;
    Ok(shapes)
}

fn map(node: &Node, load: FileLoader<'_>) -> Result<Vec<Shape>, WorldError> {
    let path = text(node, "map")?;
    let map = MapFile::parse(&text_file(node, &path, load)?)?;
    let image = load(&relative_path(&path, &map.image)).map_err(|text| node.error(text))?;
    occupied(&map.grid(&Picture::decode(&image)?))
}

/// Returns boxes that cover the occupied cells of a map. A box is a run of cells in a row, joined with equal runs in the rows above.
fn occupied(grid: &OccupancyGrid) -> Result<Vec<Shape>, WorldError> {
    let [x, y, yaw] = grid.origin;
    let origin = Pose::new(x, y, yaw);
    if !origin.is_within(ANY.1) {
        return Err(WorldError::Content(format!("the map is more than {} m away", ANY.1)));
    }
    let shape = |(from, to): (u32, u32), first: u32, last: u32| {
        let [left, right, bottom, top] =
            [from, to, first, last].map(|cell| f64::from(cell) * grid.resolution);
        let center = Pose::new(f64::midpoint(left, right), f64::midpoint(bottom, top), 0.0);
        let shape = Shape::rectangle(origin.compose(&center), Point::new(right - left, top - bottom));
        shape.ok_or_else(|| WorldError::Content("the cells of the map are too small".into()))
    };
    // The runs that may continue in the next row, with their first rows.
    let mut open = BTreeMap::<(u32, u32), u32>::new();
    let mut shapes = Vec::new();
    for row in 0..=grid.height {
        let runs = if row < grid.height { runs(grid, row) } else { Vec::new() };
        let next = runs.into_iter().map(|run| (run, open.remove(&run).unwrap_or(row))).collect();
        for (run, first) in std::mem::replace(&mut open, next) {
            shapes.push(shape(run, first, row)?);
        }
        if shapes.len() > MAX_OBSTACLES {
            return Err(WorldError::Content(format!("the map has more than {MAX_OBSTACLES} obstacles")));
        }
    }
    Ok(shapes)
}

/// Returns the runs of occupied cells in a row, each as its first column and the column after its last one.
fn runs(grid: &OccupancyGrid, row: u32) -> Vec<(u32, u32)> {
    let is_occupied = |column| grid.cell(column, row) == Some(OCCUPIED);
    let starts =
        (0..grid.width).filter(|column| is_occupied(*column) && (*column == 0 || !is_occupied(column - 1)));
    let end = |start: u32| (start..grid.width).find(|column| !is_occupied(*column)).unwrap_or(grid.width);
    starts.map(|start| (start, end(start))).collect()
}

fn moving(node: &Node) -> Result<MovingObstacleSpec> {
    let fields = Fields::new(node)?;
    let shape = shape(&fields)?
        .ok_or_else(|| node.error("an obstacle that moves is a circle, a box or a polygon"))?;
    let motion = match fields.find("path") {
        Some(node) => path(node)?,
        None => ObstacleMotion::Pushed {
            mass: fields.number("mass", POSITIVE)?,
            damping: fields.number_or("damping", NOT_NEGATIVE, 5.0)?,
        },
    };
    let first = match &motion {
        ObstacleMotion::Path { points, .. } => Pose::new(points[0].x, points[0].y, 0.0),
        ObstacleMotion::Pushed { .. } => Pose::default(),
    };
    let moving = MovingObstacleSpec { name: name(&fields)?, shape, pose: pose_or(&fields, first)?, motion };
    fields.finish()?;
    Ok(moving)
}

fn path(node: &Node) -> Result<ObstacleMotion> {
    let fields = Fields::new(node)?;
    let (list, speed) = (fields.get("points")?, fields.number("speed", NOT_NEGATIVE)?);
    let points = points(list, "points")?;
    fields.finish()?;
    let is_long = points.windows(2).any(|pair| pair[0] != pair[1]);
    if !is_long {
        return Err(list.error("a path needs two different points"));
    }
    Ok(ObstacleMotion::Path { points, speed })
}

fn robot(node: &Node, load: FileLoader<'_>) -> Result<RobotSpec, WorldError> {
    let fields = Fields::new(node)?;
    let model = fields.get("model")?;
    let model = match model.as_text() {
        Some(path) => {
            let text = text_file(model, path, load)?;
            Model::parse_with(&text, &mut |name| load(&relative_path(path, name)))
                .map_err(|error| model.error(format!("{path}: {error}")))?
        }
        None => Model::read(model, load)?,
    };
    let robot = RobotSpec {
        name: fields.text_or("name", "robot")?,
        namespace: fields.text_or("namespace", "")?,
        model,
        pose: pose_or(&fields, Pose::default())?,
        commands: commands(&fields)?,
    };
    fields.finish()?;
    Ok(robot)
}

fn name(fields: &Fields<'_>) -> Result<String> {
    text(fields.get("name")?, "name")
}

fn pose_or(fields: &Fields<'_>, default: Pose) -> Result<Pose> {
    let Some(node) = fields.find("pose") else { return Ok(default) };
    let [x, y, yaw] = numbers(node, "pose")?;
    Ok(Pose::new(x, y, yaw))
}

/// Reads commands: lists of a time in seconds, and the velocities forward, left and turn.
fn commands(fields: &Fields<'_>) -> Result<Vec<(i64, Command)>> {
    let command = |node: &Node| -> Result<(i64, Command)> {
        let [time, forward, left, turn] = numbers(node, "commands")?;
        Ok(((time * 1e9).round() as i64, Command { forward, left, turn }))
    };
    let list = fields.list("commands")?;
    let commands = list.iter().map(command).collect::<Result<Vec<_>>>()?;
    match commands.is_sorted_by_key(|(time, _)| *time) {
        true => Ok(commands),
        false => Err(fields.error("the times of `commands` must be in order")),
    }
}
