//! Lookups in an index of frames, while others set transforms.

use saltus_types::Time;

use crate::{
    error::{Gap, LookupError},
    history::{Found, Ring},
    index::{EdgeKind, Id, Index},
    transform::Transform,
};

/// Whether a frame is below another one, or is this one.
pub(crate) fn is_below(index: &Index, frame: Id, other: Id) -> bool {
    ancestors(index, frame).any(|ancestor| ancestor == other)
}

/// Returns a frame and all above it. There is no loop, but a frame may get another parent while its ancestors are read.
pub(crate) fn ancestors(index: &Index, frame: Id) -> impl Iterator<Item = Id> {
    let above = |id: &Id| parent(index, *id);
    std::iter::successors(Some(frame), above).take(index.frames().len())
}

/// Returns the number of the parent, if there is one. A frame that was added after the index was read counts as none.
pub(crate) fn parent(index: &Index, id: Id) -> Option<Id> {
    let edge = index.frame(id).edge.load();
    edge.as_ref().map(|edge| edge.parent).filter(|parent| index.has(*parent))
}

/// The names of the arguments in the errors of a function.
pub(crate) struct Arguments {
    pub(crate) target: &'static str,
    pub(crate) source: &'static str,
}

pub(crate) const LOOKUP: Arguments = Arguments {
    target: "lookupTransform argument target_frame",
    source: "lookupTransform argument source_frame",
};
pub(crate) const CAN_TRANSFORM: Arguments =
    Arguments { target: "canTransform argument target_frame", source: "canTransform argument source_frame" };

pub(crate) fn frame_id(index: &Index, name: &str, argument: &'static str) -> Result<Id, LookupError> {
    let invalid = |reason| Err(LookupError::InvalidArgument { name: name.into(), argument, reason });
    match name.as_bytes().first() {
        None => invalid("cannot be empty"),
        Some(b'/') => invalid("cannot start with a '/'"),
        Some(_) => index.id(name).ok_or_else(|| LookupError::UnknownFrame { name: name.into(), argument }),
    }
}

/// Returns a transform, and its time.
pub(crate) fn lookup(
    index: &Index,
    target: &str,
    source: &str,
    time: Time,
    arguments: &Arguments,
) -> Result<(Transform, Time), LookupError> {
    if target == source {
        let newest = |id| latest_common_time(index, [id, id], id);
        let stamp = if time == Time::default() { index.id(target).map_or(time, newest) } else { time };
        return Ok((Transform::IDENTITY, stamp));
    }
    let target_id = frame_id(index, target, arguments.target)?;
    let source_id = frame_id(index, source, arguments.source)?;
    let connectivity = || LookupError::Connectivity { target: target.into(), from: source.into() };
    loop {
        let top = common_ancestor(index, target_id, source_id)?;
        let latest = || latest_common_time(index, [target_id, source_id], top);
        let at = if time == Time::default() { latest() } else { time };
        match between(index, [target_id, source_id], top, at) {
            Ok(transform) => return Ok((transform, at)),
            // So many transforms were set meanwhile that those of the latest time have gone.
            Err(_) if time == Time::default() && latest() != at => {}
            Err(Some(gap)) => {
                return Err(LookupError::Extrapolation { gap, target: target.into(), from: source.into() });
            }
            Err(None) => return Err(connectivity()),
        }
    }
}

/// Returns the transform from a source to a target, which are below a frame or are this frame. See [`path`]. If several frames
/// have no transform, the error is about one above the target, as in tf2.
fn between(index: &Index, [target, source]: [Id; 2], top: Id, time: Time) -> Result<Transform, Option<Gap>> {
    if target == top {
        return path(index, source, top, time);
    }
    let down = path(index, target, top, time)?;
    Ok(down.inverse().compose(&path(index, source, top, time)?))
}

/// Returns the lowest frame that is above two frames, or one of them.
pub(crate) fn common_ancestor(index: &Index, target: Id, source: Id) -> Result<Id, LookupError> {
    // The usual case: one of them is above the other. Otherwise their depths are known then.
    let depth_unless_below = |id, other| {
        let mut depth = 0_usize;
        let is_other = |ancestor| {
            depth += 1;
            ancestor == other
        };
        (!ancestors(index, id).any(is_other)).then_some(depth)
    };
    let Some(source_depth) = depth_unless_below(source, target) else { return Ok(target) };
    let Some(target_depth) = depth_unless_below(target, source) else { return Ok(source) };
    let (mut left, mut right) = ((target, target_depth), (source, source_depth));
    let name = |id| index.frame(id).name.to_string();
    while left.0 != right.0 {
        let deeper = if left.1 >= right.1 { &mut left } else { &mut right };
        match parent(index, deeper.0) {
            Some(parent) => *deeper = (parent, deeper.1.saturating_sub(1)),
            None => return Err(LookupError::Connectivity { target: name(target), from: name(source) }),
        }
    }
    Ok(left.0)
}

/// Returns the latest time that all frames between two frames and one above both have. If both are the same, its own.
pub(crate) fn latest_common_time(index: &Index, frames: [Id; 2], top: Id) -> Time {
    let newest = |id: Id| match &index.frame(id).edge.load().as_ref()?.kind {
        EdgeKind::Static(_) => None,
        EdgeKind::Moving(ring) => Some(ring.newest_stamp()),
    };
    let below_top = |id| ancestors(index, id).take_while(move |ancestor| *ancestor != top);
    let all: Option<i64> = if frames == [top, top] {
        newest(top)
    } else {
        frames.into_iter().flat_map(below_top).filter_map(newest).min()
    };
    Time::from_nanos(all.unwrap_or_default())
}

/// Returns the transform from a frame to one above it. An error without a gap means that another thread has moved
/// the frame, so that `to` is not above it.
fn path(index: &Index, from: Id, to: Id, time: Time) -> Result<Transform, Option<Gap>> {
    let mut transform = Transform::IDENTITY;
    let mut id = from;
    while id != to {
        let edge = index.frame(id).edge.load();
        let edge = edge.as_ref().filter(|edge| index.has(edge.parent)).ok_or(None)?;
        let step = match &edge.kind {
            EdgeKind::Static(step) => *step,
            EdgeKind::Moving(ring) => at(ring, time)?,
        };
        transform = step.compose(&transform);
        id = edge.parent;
    }
    Ok(transform)
}

/// Returns the transform of a frame to its parent at a time.
fn at(ring: &Ring, time: Time) -> Result<Transform, Gap> {
    let requested = time;
    match ring.find(time.as_nanos()) {
        Found::At(sample) => Ok(Transform::from_numbers(sample.numbers)),
        Found::Between(older, newer) => {
            let ratio =
                time.as_nanos().abs_diff(older.stamp) as f64 / newer.stamp.abs_diff(older.stamp) as f64;
            let [older, newer] = [older, newer].map(|sample| Transform::from_numbers(sample.numbers));
            Ok(older.interpolate(&newer, ratio))
        }
        Found::Only(only) => Err(Gap::OnlyOne { requested, only: Time::from_nanos(only) }),
        Found::Before(earliest, latest) => {
            let [earliest, latest] = [earliest, latest].map(Time::from_nanos);
            Err(Gap::Past { requested, earliest, latest })
        }
        Found::After(latest) => Err(Gap::Future { requested, latest: Time::from_nanos(latest) }),
    }
}
