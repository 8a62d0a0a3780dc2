//! The keys of the values in what a bridge to a network tells about itself (`diagnostic_msgs/msg/KeyValue`).

/// How far the clock of another host is ahead of the clock of this one, in milliseconds.
pub const CLOCK_AHEAD: &str = "clock ahead (ms)";
/// How far that may be wrong, in milliseconds.
pub const CLOCK_ERROR: &str = "clock error (ms)";
/// What fixes a problem.
pub const FIX: &str = "fix";
