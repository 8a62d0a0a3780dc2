//! `saltus teleop`

use std::{
    io::{self, IsTerminal, Write},
    os::fd::AsFd,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr},
};
use saltus::{
    Context, Publisher,
    msgs::geometry_msgs::msg::{Twist, Vector3},
};

use saltus_verb::{complete, error::Error, ros_args};

/// `saltus teleop …`
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  saltus teleop --topic /robot1/cmd_vel --speed 0.2")]
pub(crate) struct Teleop {
    /// The topic of the velocities
    #[arg(long, default_value = "cmd_vel", add = complete::topics())]
    topic: String,
    /// The velocity forward, in metres per second
    #[arg(long, default_value_t = 0.2, value_parser = speed)]
    speed: f64,
    /// The angular velocity, in radians per second
    #[arg(long, default_value_t = 0.8, value_parser = speed)]
    turn: f64,
    /// The arguments for the node, from --ros-args on
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ROS_ARGS")]
    ros_args: Vec<String>,
}

fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed: &f64| (0.0..=100.0).contains(speed));
    speed.ok_or_else(|| "expected a number from 0 to 100".into())
}

impl Teleop {
    pub(crate) fn run(self) -> Result<(), Error> {
        ros_args::check(&self.ros_args)?;
        if !io::stdin().is_terminal() {
            return Err("the keyboard is read from a terminal, and the input of this command is none".into());
        }
        let context = Context::from_args()?;
        let node = context.node("teleop_twist_keyboard").create()?;
        let publisher = node.publisher(&self.topic).create()?;
        drive(&context, &publisher, Speeds { forward: self.speed, turn: self.turn })
    }
}

/// The speeds at which a robot drives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speeds {
    /// In metres per second.
    pub(crate) forward: f64,
    /// In radians per second.
    pub(crate) turn: f64,
}

/// The keys, as `teleop_twist_keyboard` has them, and the arrows.
pub(crate) const HELP: &str = "Keys:  i or up: forward    , or down: back    j or left: turn left    l or right: turn right\n       \
    u o m .: forward or back in a curve    k or space: stop    q z: faster, slower    Ctrl-C: end";

/// The action of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Key {
    /// Drive: forward and to the left, each -1, 0 or 1.
    Drive(f64, f64),
    /// Multiply the speeds.
    Scale(f64),
}

/// Stops the robot when this is dropped, however driving ends.
struct StopOnDrop<'a>(&'a Publisher<Twist>);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        // If there is no room for the message, there is none for the ones before either.
        let _ = self.0.publish(&Twist::default());
    }
}

/// Publishes velocities for the keys that are pressed, until the context is shut down. Then the robot is stopped.
pub(crate) fn drive(context: &Context, publisher: &Publisher<Twist>, speeds: Speeds) -> Result<(), Error> {
    let _stop = StopOnDrop(publisher);
    let _raw = Raw::new()?;
    tell(&format!("{HELP}\r\n"));
    let (mut speeds, mut last) = (speeds, Twist::default());
    while !context.is_shut_down() {
        let Some(bytes) = pressed()? else { continue };
        if bytes.is_empty() {
            break;
        }
        for key in keys(&bytes) {
            match key {
                Key::Drive(forward, turn) => {
                    let linear = Vector3 { x: forward * speeds.forward, ..Vector3::default() };
                    let angular = Vector3 { z: turn * speeds.turn, ..Vector3::default() };
                    last = Twist { linear, angular };
                }
                Key::Scale(factor) => {
                    speeds = Speeds { forward: speeds.forward * factor, turn: speeds.turn * factor };
                    last.linear.x *= factor;
                    last.angular.z *= factor;
                }
            }
            publisher.publish(&last)?;
            let Twist { linear, angular } = &last;
            tell(&format!(
                "\rforward {:+.2} m/s, turn {:+.2} rad/s (of {:.2} and {:.2})   ",
                linear.x, angular.z, speeds.forward, speeds.turn
            ));
        }
    }
    tell("\r\n");
    Ok(())
}

/// Writes to the terminal. If it is gone, the robot must still be stopped.
fn tell(text: &str) {
    let mut terminal = io::stderr();
    let _ = terminal.write_all(text.as_bytes()).and_then(|()| terminal.flush());
}

/// Returns the bytes that were typed in a tenth of a second: `None` if there were none, and no bytes at the end.
fn pressed() -> Result<Option<Vec<u8>>, Error> {
    let input = io::stdin();
    let mut fds = [PollFd::new(&input, PollFlags::IN)];
    match poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 100_000_000 })) {
        Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(None),
        Ok(_) => {}
        Err(error) => return Err(error.into()),
    }
    let mut bytes = [0; 64];
    let count = rustix::io::read(input.as_fd(), &mut bytes)?;
    Ok(Some(bytes[..count].to_vec()))
}

/// Returns the keys in the bytes of a terminal. Arrows are sequences that begin with an escape.
fn keys(bytes: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        let (key, after) = match (first, after) {
            (0x1b, [b'[' | b'O', arrow, after @ ..]) => (arrow_key(*arrow), after),
            (letter, after) => (letter_key(*letter), after),
        };
        keys.extend(key);
        rest = after;
    }
    keys
}

fn arrow_key(letter: u8) -> Option<Key> {
    Some(match letter {
        b'A' => Key::Drive(1.0, 0.0),
        b'B' => Key::Drive(-1.0, 0.0),
        b'C' => Key::Drive(0.0, -1.0),
        b'D' => Key::Drive(0.0, 1.0),
        _ => return None,
    })
}

fn letter_key(letter: u8) -> Option<Key> {
    Some(match letter {
        b'i' => Key::Drive(1.0, 0.0),
        b',' => Key::Drive(-1.0, 0.0),
        b'j' => Key::Drive(0.0, 1.0),
        b'l' => Key::Drive(0.0, -1.0),
        b'u' => Key::Drive(1.0, 1.0),
        b'o' => Key::Drive(1.0, -1.0),
        b'm' => Key::Drive(-1.0, -1.0),
        b'.' => Key::Drive(-1.0, 1.0),
        b'k' | b' ' => Key::Drive(0.0, 0.0),
        b'q' => Key::Scale(1.1),
        b'z' => Key::Scale(0.9),
        _ => return None,
    })
}

/// The terminal gives each key at once, and does not show it, until this is dropped.
struct Raw(Termios);

impl Raw {
    fn new() -> Result<Self, Error> {
        let input = io::stdin();
        let before = tcgetattr(&input)?;
        let mut raw = before.clone();
        raw.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        raw.special_codes[SpecialCodeIndex::VMIN] = 1;
        raw.special_codes[SpecialCodeIndex::VTIME] = 0;
        // A program that is suspended or killed would not stop the robot. Ctrl-C ends it in order.
        raw.special_codes[SpecialCodeIndex::VSUSP] = 0;
        raw.special_codes[SpecialCodeIndex::VQUIT] = 0;
        tcsetattr(&input, OptionalActions::Now, &raw)?;
        Ok(Self(before))
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // If the terminal is gone, there is nothing to restore.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_arrows_are_keys() {
        assert_eq!(keys(b"i"), [Key::Drive(1.0, 0.0)]);
        assert_eq!(
            keys(b"\x1b[A\x1bOD,"),
            [Key::Drive(1.0, 0.0), Key::Drive(0.0, 1.0), Key::Drive(-1.0, 0.0)]
        );
        assert_eq!(
            keys(b"qzk "),
            [Key::Scale(1.1), Key::Scale(0.9), Key::Drive(0.0, 0.0), Key::Drive(0.0, 0.0)]
        );
        for nothing in [&b"x"[..], b"", b"\x1b", b"\x1b[", b"\x1b[Z", b"\xff\0"] {
            assert_eq!(keys(nothing), [], "{nothing:?}");
        }
    }
}
