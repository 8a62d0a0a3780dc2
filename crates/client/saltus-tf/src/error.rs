//! The errors of lookups and of new transforms. The texts are those of `tf2`.

use saltus_types::Time;

/// Why there is no transform between two frames at a time.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LookupError {
    /// A name can't be the name of a frame.
    #[error("Invalid {} \"{name}\" passed to {argument} - in tf2 frame_ids {reason}", noun(argument))]
    InvalidArgument {
        /// The name.
        name: String,
        /// The argument of the function.
        argument: &'static str,
        /// The reason.
        reason: &'static str,
    },
    /// There is no frame with this name.
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
        /// The time that is missing.
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
    /// The time is after that of the newest transform.
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
    /// The time is before that of the oldest transform.
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

/// Whether an argument is one of `canTransform`. Its error texts differ from those of `lookupTransform`.
fn is_can_transform(argument: &str) -> bool {
    argument.starts_with("canTransform")
}

/// Returns the word for an argument in error texts.
fn noun(argument: &str) -> &'static str {
    if is_can_transform(argument) { "frame ID" } else { "argument" }
}

fn unknown(name: &str, argument: &str) -> String {
    if is_can_transform(argument) {
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
        /// The name of the sender.
        authority: String,
    },
    /// The child has no name.
    #[error(
        "TF_NO_CHILD_FRAME_ID: Ignoring transform from authority \"{authority}\" because child_frame_id not set "
    )]
    NoChild {
        /// The name of the sender.
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
        /// The name of the sender.
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
        /// The name of the sender.
        authority: String,
    },
    /// A name is too long.
    #[error(
        "Ignoring transform from authority \"{authority}\" because a frame id is longer than {most} bytes"
    )]
    LongName {
        /// The name of the sender.
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
        /// The name of the sender.
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
        /// The name of the sender of the new transform.
        authority: String,
        /// The name of the sender of the known transforms.
        known_authority: String,
    },
}
