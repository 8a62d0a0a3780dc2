//! `saltus map`

use std::{path::PathBuf, time::Duration};

use clap::{Subcommand, ValueEnum};
use nav2_map_server::{
    SaveOptions, SaverSettings, WaitError, default_name, from_message, load, receive, save,
};
use saltus::Context;
use saltus_bench::RunError;
use saltus_map::{Format, Mode, OCCUPIED, OccupancyGrid, Thresholds, UNKNOWN, check_options};

use crate::{complete, error::Error, output::print_text, reading::seconds, ros_args};

/// `saltus map …`
#[derive(Debug, Subcommand)]
pub(crate) enum Map {
    /// Print the size of a map, and how many of its cells are free, occupied and unknown
    #[command(after_help = "Example:\n  saltus map info room.yaml")]
    Info {
        /// The YAML file of the map
        file: PathBuf,
    },
    /// Wait for a map and save it as an image and a YAML file, as ROS 2's `map_saver_cli` does
    #[command(
        after_help = "Examples:\n  saltus map save -f room\n  saltus map save -t /floor/map -f floor --fmt png --mode scale"
    )]
    Save(Save),
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
    /// How cells become shades
    #[arg(long, value_enum, default_value_t = Shades::Trinary)]
    mode: Shades,
    /// How long to wait for the map, in seconds [default: the parameter save_map_timeout, 2]
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

/// How cells become shades.
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
            Self::Info { file } => print_text(&info(&load(&file)?)),
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
            WaitError::Interrupted(_) => RunError::Interrupted.into(),
            error => Error::from(error),
        })?;
        let name = self.name.unwrap_or_else(default_name);
        let path = save(&from_message(map)?, &SaveOptions { name, format, mode, thresholds })?;
        print_text(&format!("Map saved to {}\n", path.display()))
    }
}
