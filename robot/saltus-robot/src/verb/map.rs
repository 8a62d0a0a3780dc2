//! `saltus map`

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use clap::{Subcommand, ValueEnum};
use nav2_map_server::{
    SaveOptions, SaverSettings, WaitError, default_name, from_message, load, receive, save, unknown_keys,
};
use saltus::Context;
use saltus_map::{Format, Mode, OCCUPIED, OccupancyGrid, Thresholds, UNKNOWN, check_options};

use saltus_verb::{
    complete,
    error::{Ended, Error},
    output::{print_text, tell},
    reading::seconds,
    ros_args,
};

/// `saltus map …`
#[derive(Debug, Subcommand)]
pub(crate) enum Map {
    /// Print the size of a map, and how many of its cells are free, occupied and unknown
    #[command(after_help = "Example:\n  saltus map info room.yaml")]
    Info {
        /// The YAML file of the map
        file: PathBuf,
    },
    /// Draw the map that a robot would make of a simulated world
    #[command(
        after_help = "Example:\n  saltus map draw turtlebot3_world -f world --size 19.2 19.2 --origin -10 -10"
    )]
    Draw(Draw),
    /// Wait for a map and save it as an image and a YAML file, as ROS 2's `map_saver_cli` does
    #[command(
        after_help = "Examples:\n  saltus map save -f room\n  saltus map save -t /floor/map -f floor --fmt png --mode scale"
    )]
    Save(Save),
}

/// `saltus map draw …`
#[derive(Debug, clap::Args)]
pub(crate) struct Draw {
    /// The world: a built-in one, or a file
    world: String,
    /// The path of both files without their extensions
    #[arg(short = 'f', long = "file", value_name = "NAME")]
    name: PathBuf,
    /// The edge of a cell, in metres
    #[arg(long, default_value_t = 0.05)]
    resolution: f64,
    /// The width and the height, in metres
    #[arg(long, num_args = 2, value_names = ["WIDTH", "HEIGHT"], default_values_t = [20.0, 20.0])]
    size: Vec<f64>,
    /// The lower left corner, in metres
    #[arg(long, num_args = 2, value_names = ["X", "Y"], default_values_t = [-10.0, -10.0], allow_negative_numbers = true)]
    origin: Vec<f64>,
    /// Where the robot starts, in metres [default: where the first robot of the world is]
    #[arg(long, num_args = 2, value_names = ["X", "Y"], allow_negative_numbers = true)]
    start: Vec<f64>,
}

/// `saltus map save …`
#[derive(Debug, clap::Args)]
pub(crate) struct Save {
    /// The topic of the map
    #[arg(short = 't', long = "topic", default_value = "map", value_name = "TOPIC", add = complete::topics())]
    topic: String,
    /// The path of both files without their extensions [default: map_ and the time in seconds]
    #[arg(short = 'f', long = "file", value_name = "NAME")]
    name: Option<PathBuf>,
    /// From this share of 100 on, a cell is occupied [default: the parameter occupied_thresh_default, 0.65]
    #[arg(long)]
    occ: Option<f64>,
    /// Up to this share of 100, a cell is free [default: the parameter free_thresh_default, 0.25]
    #[arg(long)]
    free: Option<f64>,
    /// The format of the image [default: pgm; png with --mode scale]
    #[arg(long, value_enum)]
    fmt: Option<Kind>,
    /// The conversion of cells to shades
    #[arg(long, value_enum, default_value_t = Shades::Trinary)]
    mode: Shades,
    /// The longest time to wait for the map, in seconds [default: the parameter save_map_timeout, 2]
    #[arg(long, value_parser = seconds)]
    timeout: Option<Duration>,
    /// The arguments for the node, from --ros-args on
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ROS_ARGS")]
    ros_args: Vec<String>,
}

/// The format of an image.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    Bmp,
    Pgm,
    Png,
}

/// The conversion of cells to shades.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shades {
    /// Free, occupied or unknown
    Trinary,
    /// Shades between free and occupied
    Scale,
    /// The value of a cell is the shade
    Raw,
}

impl Map {
    pub(crate) fn run(self) -> Result<(), Error> {
        match self {
            Self::Info { file } => {
                let grid = load(&file)?;
                unknown_keys(&file).iter().for_each(|text| tell!("{}: {text}", file.display()));
                print_text(&info(&grid))
            }
            Self::Draw(draw) => draw.run(),
            Self::Save(save) => save.run(),
        }
    }
}

fn info(grid: &OccupancyGrid) -> String {
    let OccupancyGrid { width, height, resolution, origin: [x, y, angle], cells } = grid;
    let count = |value| cells.iter().filter(|cell| **cell == value).count();
    let (free, occupied, unknown) = (count(0), count(OCCUPIED), count(UNKNOWN));
    let between = cells.len() - free - occupied - unknown;
    let [across, along] = [width, height].map(|cells| f64::from(*cells) * resolution);
    format!(
        "Size: {width} x {height} cells of {resolution} m, {across:.2} m x {along:.2} m\n\
         Origin: [{x:.3}, {y:.3}], turned by {angle:.3} rad\n\
         Free: {free}\nOccupied: {occupied}\nUnknown: {unknown}\nBetween: {between}\n"
    )
}

/// The most cells of a map. A larger one would need too much memory.
const MOST_CELLS: f64 = 1e8;

impl Draw {
    fn run(self) -> Result<(), Error> {
        let world = saltus_sim_node::load_world(&self.world)?;
        let start = match self.start[..] {
            [x, y] => [x, y],
            _ => {
                let robot = world.robots.first();
                let robot = robot.ok_or("the world has no robot; say with --start where one would start")?;
                [robot.pose.x, robot.pose.y]
            }
        };
        let written = Path::new(&format!("{}.yaml", self.name.display())).canonicalize();
        if written.is_ok_and(|file| Path::new(&self.world).canonicalize().is_ok_and(|world| world == file)) {
            return Err(
                format!("the map would replace the world {}; give another name with -f", self.world).into()
            );
        }
        let cells = |length: f64| (length / self.resolution).round();
        let (width, height) = (cells(self.size[0]), cells(self.size[1]));
        if !(width >= 1.0 && height >= 1.0 && width * height <= MOST_CELLS) {
            return Err(format!("a map can't have {width} x {height} cells").into());
        }
        let empty = OccupancyGrid {
            width: width as u32,
            height: height as u32,
            resolution: self.resolution,
            origin: [self.origin[0], self.origin[1], 0.0],
            cells: vec![UNKNOWN; (width * height) as usize],
        };
        let options = SaveOptions {
            name: self.name,
            format: Format::Png,
            mode: Mode::Trinary,
            thresholds: Thresholds { occupied: 0.65, free: 0.25 },
        };
        let path = save(&world.map(empty, start), &options)?;
        print_text(&format!("Map saved to {}\n", path.display()))
    }
}

impl Save {
    fn run(self) -> Result<(), Error> {
        ros_args::check(&self.ros_args)?;
        let mode = match self.mode {
            Shades::Trinary => Mode::Trinary,
            Shades::Scale => Mode::Scale,
            Shades::Raw => Mode::Raw,
        };
        let format = match self.fmt {
            Some(Kind::Bmp) => Format::Bmp,
            Some(Kind::Png) => Format::Png,
            None if mode == Mode::Scale => Format::Png,
            Some(Kind::Pgm) | None => Format::Pgm,
        };
        let context = Context::from_args()?;
        let node = context.node("map_saver").create()?;
        let SaverSettings { timeout, thresholds, late } = SaverSettings::declare(&node)?;
        // As in ROS 2, 0 is the default.
        let of = |given: Option<f64>, default| given.filter(|share| *share != 0.0).unwrap_or(default);
        let thresholds =
            Thresholds { occupied: of(self.occ, thresholds.occupied), free: of(self.free, thresholds.free) };
        check_options(mode, format, thresholds)?;
        let map = receive(&node, &self.topic, late, self.timeout.unwrap_or(timeout));
        let map = map.map_err(|error| match error {
            WaitError::Interrupted(_) => Ended::Interrupted.into(),
            error => Error::from(error),
        })?;
        let name = self.name.unwrap_or_else(default_name);
        let path = save(&from_message(map)?, &SaveOptions { name, format, mode, thresholds })?;
        print_text(&format!("Map saved to {}\n", path.display()))
    }
}
