//! Why there is no transform, and why one is refused. The texts are those of `tf2`.

use saltus_types::Time;

/// Why there is no transform between two frames at a time.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LookupError {
    /// A name of a frame can't be one.
    #[error("Invalid {} \"{name}\" passed to {argument} - in tf2 frame_ids {reason}", what(argument))]
    InvalidArgument {
        /// The name.
        name: String,
        /// The argument of the function.
        argument: &'static str,
        /// Why it can't be one.
        reason: &'static str,
    },
    /// Nothing is known of a frame.
    #[error("{}", unknown(name, argument))]
    UnknownFrame {
        /// The name of the frame.
        name: String,
        /// The argument of the function.
        argument: &'static str,
    },
    /// The frames are in different trees.
    #[error(
        "Could not find a connection between '{target}' and '{from}' because they are not part of the same tree.\
         Tf has two or more unconnected trees."
    )]
    Connectivity {
        /// The name of the target frame.
        target: String,
        /// The name of the source frame.
        from: String,
    },
    /// A frame between them has no transform at this time.
    #[error("{gap}, when looking up transform from frame [{from}] to frame [{target}]")]
    Extrapolation {
        /// What is missing.
        gap: Gap,
        /// The name of the target frame.
        target: String,
        /// The name of the source frame.
        from: String,
    },
}

/// A time for which a frame has no transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Gap {
    /// It is after the newest one.
    #[error(
        "Lookup would require extrapolation into the future.  Requested time {} but the latest data is at time {}",
        seconds(.requested),
        seconds(.latest)
    )]
    Future {
        /// The time.
        requested: Time,
        /// The time of the newest transform.
        latest: Time,
    },
    /// It is before the oldest one.
    #[error(
        "Lookup would require extrapolation into the past.  Requested time {} but the earliest data is at time {}",
        seconds(.requested),
        seconds(.earliest)
    )]
    Past {
        /// The time.
        requested: Time,
        /// The time of the oldest transform.
        earliest: Time,
        /// The time of the newest transform.
        latest: Time,
    },
    /// There is only one transform, with another time.
    #[error(
        "Lookup would require extrapolation at time {}, but only time {} is in the buffer",
        seconds(.requested),
        seconds(.only)
    )]
    OnlyOne {
        /// The time.
        requested: Time,
        /// The time of the transform.
        only: Time,
    },
}

/// Whether the texts of an argument are those of `canTransform`, which differ from those of `lookupTransform`.
fn is_asked(argument: &str) -> bool {
    argument.starts_with("canTransform")
}

fn what(argument: &str) -> &'static str {
    if is_asked(argument) { "frame ID" } else { "argument" }
}

fn unknown(name: &str, argument: &str) -> String {
    if is_asked(argument) {
        return format!("Invalid frame ID \"{name}\" passed to {argument} - frame does not exist");
    }
    format!("\"{name}\" passed to {argument} does not exist. ")
}

fn seconds(time: &Time) -> String {
    format!("{:.6}", time.as_secs_f64())
}

/// Why a transform is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SetError {
    /// Both frames are the same.
    #[error(
        "TF_SELF_TRANSFORM: Ignoring transform from authority \"{authority}\" with frame_id and  child_frame_id \
         \"{child}\" because they are the same"
    )]
    SelfTransform {
        /// The name of the frame.
        child: String,
        /// Who has sent it.
        authority: String,
    },
    /// The child has no name.
    #[error(
        "TF_NO_CHILD_FRAME_ID: Ignoring transform from authority \"{authority}\" because child_frame_id not set "
    )]
    NoChild {
        /// Who has sent it.
        authority: String,
    },
    /// The parent has no name.
    #[error(
        "TF_NO_FRAME_ID: Ignoring transform with child_frame_id \"{child}\"  from authority \"{authority}\" because \
         frame_id not set"
    )]
    NoParent {
        /// The name of the child.
        child: String,
        /// Who has sent it.
        authority: String,
    },
    /// The transform is older than all that are kept.
    #[error(
        "TF_OLD_DATA ignoring data from the past for frame {child} at time {} according to authority {authority}",
        seconds(.stamp)
    )]
    OldData {
        /// The name of the child.
        child: String,
        /// The time of the transform.
        stamp: Time,
        /// Who has sent it.
        authority: String,
    },
    /// A name is too long.
    #[error(
        "Ignoring transform from authority \"{authority}\" because a frame id is longer than {most} bytes"
    )]
    LongName {
        /// Who has sent it.
        authority: String,
        /// The number of bytes that a name may have.
        most: usize,
    },
    /// There are so many frames that none can be added.
    #[error("Ignoring transform of frame \"{child}\" because there are {most} frames already")]
    TooManyFrames {
        /// The name of the child.
        child: String,
        /// The number of frames that a buffer may have.
        most: usize,
    },
    /// The parent is a descendant of the child.
    #[error(
        "TF_LOOP: Ignoring transform from \"{child}\" to \"{parent}\" from authority \"{authority}\" because \
         \"{parent}\" is below \"{child}\""
    )]
    Loop {
        /// The name of the child.
        child: String,
        /// The name of the parent.
        parent: String,
        /// Who has sent it.
        authority: String,
    },
    /// The child has another parent.
    #[error(
        "TF_REPARENT: Ignoring transform from \"{child}\" to \"{parent}\" from authority \"{authority}\" because its \
         parent is \"{known}\", according to authority \"{known_authority}\""
    )]
    Reparented {
        /// The name of the child.
        child: String,
        /// The name of the new parent.
        parent: String,
        /// The name of its parent.
        known: String,
        /// Who has sent the new one.
        authority: String,
        /// Who has sent the known one.
        known_authority: String,
    },
}
