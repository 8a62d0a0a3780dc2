//! A world: obstacles and robots, from YAML.

use std::collections::BTreeMap;

use saltus_map::{MapFile, OCCUPIED, OccupancyGrid, Picture};
use saltus_yaml::Node;

use crate::{
    Command, Model, WorldError,
    fields::{ANY, Fields, Load, NOT_NEGATIVE, POSITIVE, Result, beside, file, numbers, points, text},
    pose::{Point, Pose},
    sensor::{RATES, Sensor, SensorKind},
    shape::Shape,
    shapes::{ring, shape, wall},
};

/// A world at its beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct World {
    /// The name.
    pub name: String,
    /// The time of one step, in nanoseconds.
    pub step: i64,
    /// The number from which the noise of all sensors comes.
    pub seed: u64,
    /// How often `/clock` is published, in hertz.
    pub clock_rate: f64,
    /// How high obstacles are, for cameras.
    pub height: f64,
    /// The obstacles that do not move.
    pub obstacles: Vec<Obstacle>,
    /// The obstacles that move.
    pub moving: Vec<Moving>,
    /// The robots.
    pub robots: Vec<RobotSpec>,
}

/// An obstacle that does not move.
pub type Obstacle = Shape;

/// An obstacle that moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Moving {
    /// The name, unique in its world.
    pub name: String,
    /// The shape in its frame.
    pub shape: Shape,
    /// Its pose at the beginning.
    pub pose: Pose,
    /// How it moves.
    pub motion: Motion,
}

/// How an obstacle moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// From point to point with a constant speed, and from the last one to the first one, whatever is in its way.
    Path {
        /// The points.
        points: Vec<Point>,
        /// The speed, in metres per second.
        speed: f64,
    },
    /// Robots push it.
    Pushed {
        /// Its mass.
        mass: f64,
        /// How fast it becomes slower: its velocity falls to 37 % in the inverse of this, in seconds.
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
    /// What kind of robot it is.
    pub model: Model,
    /// Its pose at the beginning.
    pub pose: Pose,
    /// Commands that it gets at these times, in nanoseconds, in order.
    pub commands: Vec<(i64, Command)>,
}

/// How many things a world may have.
const MOST: usize = 1_000_000;

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
    /// Returns an error if the text is not YAML, or if a key is missing, not known or wrong.
    pub fn parse(text: &str) -> Result<Self, WorldError> {
        Self::parse_with(text, &mut |_| Err("this world must not name other files".into()))
    }

    /// Reads a world in YAML. `load` reads the maps and the models of robots that it names.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`parse`](Self::parse) and those of `load`.
    pub fn parse_with(text: &str, load: Load<'_>) -> Result<Self, WorldError> {
        let document = saltus_yaml::parse(text)?;
        let fields = Fields::of(&document)?;
        let usual = Self::default();
        let seconds = fields.number_or("step", (1e-5, 0.1), 1e-3)?;
        let mut world = Self {
            name: fields.text_or("name", &usual.name)?,
            step: (seconds * 1e9).round() as i64,
            seed: fields.find("seed").map_or(Ok(0), seed)?,
            clock_rate: fields.number_or("clock_rate", RATES, usual.clock_rate)?,
            height: fields.number_or("height", POSITIVE, usual.height)?,
            ..usual
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
        fields.end()?;
        world.check()?;
        Ok(world)
    }

    /// Returns a world whose obstacles are the occupied cells of a map.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too many of them, or if they are too far away.
    pub fn from_map(grid: &OccupancyGrid) -> Result<Self, WorldError> {
        Ok(Self { name: "map".into(), obstacles: occupied(grid)?, ..Self::default() })
    }

    /// Checks that names are unique, that there are not too many obstacles, and that robots are where numbers are exact.
    pub(crate) fn check(&self) -> Result<(), WorldError> {
        let wrong = |text: String| Err(WorldError::Content(text));
        let names = self.robots.iter().map(|robot| &robot.name);
        let mut names: Vec<&String> = names.chain(self.moving.iter().map(|moving| &moving.name)).collect();
        names.sort();
        if let Some([name, _]) = names.array_windows().find(|[left, right]| left == right) {
            return wrong(format!("two things have the name `{name}`"));
        }
        if self.obstacles.len() > MOST {
            return wrong(format!(
                "a world may have {MOST} obstacles, and this one has {}",
                self.obstacles.len()
            ));
        }
        self.robots.iter().try_for_each(|robot| self.check_robot(robot)).map_err(WorldError::Content)
    }

    /// Checks that a robot is where numbers are exact, and that its cameras see what they should.
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

/// Returns the shapes of an entry of `obstacles`.
fn obstacles(node: &Node, load: Load<'_>) -> Result<Vec<Shape>, WorldError> {
    let fields = Fields::of(node)?;
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
    fields.end()?;
    Ok(shapes)
}

fn map(node: &Node, load: Load<'_>) -> Result<Vec<Shape>, WorldError> {
    let path = text(node, "map")?;
    let map = MapFile::parse(&file(node, &path, load)?)?;
    let image = load(&beside(&path, &map.image)).map_err(|text| node.error(text))?;
    occupied(&map.grid(&Picture::decode(&image)?))
}

/// Returns boxes that cover the occupied cells of a map: runs of cells in a row, and equal runs in rows above each other.
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
    // The runs that go on in the next row, and the rows in which they began.
    let mut open = BTreeMap::<(u32, u32), u32>::new();
    let mut shapes = Vec::new();
    for row in 0..=grid.height {
        let runs = if row < grid.height { runs(grid, row) } else { Vec::new() };
        let next = runs.into_iter().map(|run| (run, open.remove(&run).unwrap_or(row))).collect();
        for (run, first) in std::mem::replace(&mut open, next) {
            shapes.push(shape(run, first, row)?);
        }
        if shapes.len() > MOST {
            return Err(WorldError::Content(format!("the map has more than {MOST} obstacles")));
        }
    }
    Ok(shapes)
}

/// Returns the runs of occupied cells in a row: the first one, and the one after the last.
fn runs(grid: &OccupancyGrid, row: u32) -> Vec<(u32, u32)> {
    let is_occupied = |column| grid.cell(column, row) == Some(OCCUPIED);
    let starts =
        (0..grid.width).filter(|column| is_occupied(*column) && (*column == 0 || !is_occupied(column - 1)));
    let end = |start: u32| (start..grid.width).find(|column| !is_occupied(*column)).unwrap_or(grid.width);
    starts.map(|start| (start, end(start))).collect()
}

fn moving(node: &Node) -> Result<Moving> {
    let fields = Fields::of(node)?;
    let shape = shape(&fields)?
        .ok_or_else(|| node.error("an obstacle that moves is a circle, a box or a polygon"))?;
    let motion = match fields.find("path") {
        Some(node) => path(node)?,
        None => Motion::Pushed {
            mass: fields.number("mass", POSITIVE)?,
            damping: fields.number_or("damping", NOT_NEGATIVE, 5.0)?,
        },
    };
    let first = match &motion {
        Motion::Path { points, .. } => Pose::new(points[0].x, points[0].y, 0.0),
        Motion::Pushed { .. } => Pose::default(),
    };
    let moving = Moving { name: name(&fields)?, shape, pose: pose_or(&fields, first)?, motion };
    fields.end()?;
    Ok(moving)
}

fn path(node: &Node) -> Result<Motion> {
    let fields = Fields::of(node)?;
    let (list, speed) = (fields.get("points")?, fields.number("speed", NOT_NEGATIVE)?);
    let points = points(list, "points")?;
    fields.end()?;
    let is_long = points.windows(2).any(|pair| pair[0] != pair[1]);
    if !is_long {
        return Err(list.error("a path needs two different points"));
    }
    Ok(Motion::Path { points, speed })
}

fn robot(node: &Node, load: Load<'_>) -> Result<RobotSpec, WorldError> {
    let fields = Fields::of(node)?;
    let model = fields.get("model")?;
    let model = match model.as_text() {
        Some(path) => {
            let text = file(model, path, load)?;
            Model::parse_with(&text, &mut |name| load(&beside(path, name)))
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
    fields.end()?;
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

/// Returns commands: lists of a time in seconds, and the velocities forward, left and turn.
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
