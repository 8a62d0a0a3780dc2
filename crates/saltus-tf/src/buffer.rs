//! All frames: their transforms are set, and looked up.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use arc_swap::ArcSwap;
use saltus_types::{Time, lock};

use crate::{
    error::{Gap, LookupError, SetError},
    history::{Found, Ring, Sample},
    index::{Edge, EdgeKind, Frame, Id, Index},
    transform::{StampedTransform, Transform},
    waiters::{Request, Waiters},
};

/// How long transforms are kept, as in ROS 2.
const CACHE_TIME: Duration = Duration::from_secs(10);

/// The transforms of all frames over the last seconds. Its clones are the same buffer.
///
/// Readers never wait: neither for each other, nor for those who set transforms.
#[derive(Clone, Debug)]
pub struct Buffer(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    index: ArcSwap<Index>,
    /// In nanoseconds.
    cache_time: i64,
    /// Who has sent the transforms of a frame. Only one thread at a time sets a transform.
    authorities: Mutex<HashMap<Id, Arc<str>>>,
    waiters: Waiters,
}

/// What is known of a frame that has a parent.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameInfo {
    /// Its name.
    pub name: Arc<str>,
    /// The name of its parent.
    pub parent: Arc<str>,
    /// Who has sent its transforms.
    pub authority: Arc<str>,
    /// Whether its transform never changes.
    pub is_static: bool,
    /// The times of the oldest and the newest transform; equal for a static one.
    pub oldest: Time,
    /// See `oldest`.
    pub newest: Time,
    /// The number of transforms.
    pub count: usize,
}

impl Default for Buffer {
    fn default() -> Self {
        Self::new(CACHE_TIME)
    }
}

impl Buffer {
    /// Returns an empty buffer, which keeps transforms for this time after the newest one of their frame.
    pub fn new(cache_time: Duration) -> Self {
        Self(Arc::new(Inner {
            index: ArcSwap::default(),
            cache_time: cache_time.as_nanos().try_into().unwrap_or(i64::MAX),
            authorities: Mutex::default(),
            waiters: Waiters::default(),
        }))
    }

    /// Returns how long transforms are kept.
    pub fn cache_time(&self) -> Duration {
        Duration::from_nanos(self.0.cache_time.unsigned_abs())
    }

    /// Sets the transform of a frame at a time. `authority` is the name of who has sent it.
    ///
    /// # Errors
    ///
    /// Returns an error if the names can't be those of a child and its parent, if the transform is older than all that are kept,
    /// if the child has another parent, or if there would be a loop. A child may have another parent after it had no transforms for
    /// longer than [`cache_time`](Self::cache_time).
    pub fn set(&self, stamped: &StampedTransform, authority: &str) -> Result<(), SetError> {
        self.insert(stamped, authority, false)
    }

    /// Sets the transform of a frame for all times.
    ///
    /// # Errors
    ///
    /// See [`set`](Self::set).
    pub fn set_static(&self, stamped: &StampedTransform, authority: &str) -> Result<(), SetError> {
        self.insert(stamped, authority, true)
    }

    /// Removes all transforms, such as after a jump of the clock back in time. The names stay.
    pub fn clear(&self) {
        let _authorities = lock(&self.0.authorities);
        self.0.index.load().frames().iter().for_each(|frame| frame.edge.store(None));
    }

    fn insert(&self, stamped: &StampedTransform, authority: &str, is_static: bool) -> Result<(), SetError> {
        let (parent, child) = names(stamped, authority)?;
        let mut authorities = lock(&self.0.authorities);
        let (index, [child_id, parent_id]) = self.with_frames([child, parent]);
        let frame = index.frame(child_id);
        let old = frame.edge.load_full();
        if let Some(edge) = old.as_deref().filter(|edge| edge.parent != parent_id) {
            let is_over = match &edge.kind {
                EdgeKind::Static(_) => false,
                EdgeKind::Moving(ring) => ring.newest_stamp() < self.oldest(stamped.stamp),
            };
            if !is_over {
                let known_authority = authorities.get(&child_id).map(ToString::to_string).unwrap_or_default();
                return Err(SetError::Reparented {
                    child: child.into(),
                    parent: parent.into(),
                    known: index.frame(edge.parent).name.to_string(),
                    authority: authority.into(),
                    known_authority,
                });
            }
        }
        let old = old.filter(|edge| edge.parent == parent_id);
        if old.is_none() && is_below(&index, parent_id, child_id) {
            let (child, parent) = (child.into(), parent.into());
            return Err(SetError::Loop { child, parent, authority: authority.into() });
        }
        self.put(frame, parent_id, old.as_deref(), stamped, is_static).map_err(|()| SetError::OldData {
            child: child.into(),
            stamp: stamped.stamp,
            authority: authority.into(),
        })?;
        if authorities.get(&child_id).is_none_or(|known| **known != *authority) {
            authorities.insert(child_id, authority.into());
        }
        drop(authorities);
        self.0.waiters.wake(|request| self.outcome(request).is_some());
        Ok(())
    }

    /// Adds the frames that are missing. Returns their numbers.
    fn with_frames(&self, names: [&str; 2]) -> (Arc<Index>, [Id; 2]) {
        let index = self.0.index.load_full();
        if let [Some(first), Some(second)] = names.map(|name| index.id(name)) {
            return (index, [first, second]);
        }
        let mut new = (*index).clone();
        let ids = names.map(|name| new.id(name).unwrap_or_else(|| new.add(name)));
        let new = Arc::new(new);
        self.0.index.store(new.clone());
        (new, ids)
    }

    /// Returns the time before which transforms are too old, if there is one of this time.
    fn oldest(&self, stamp: Time) -> i64 {
        stamp.as_nanos().saturating_sub(self.0.cache_time)
    }

    /// Adds a transform to those of a frame. An error means that it is too old.
    fn put(
        &self,
        frame: &Frame,
        parent: Id,
        old: Option<&Edge>,
        stamped: &StampedTransform,
        is_static: bool,
    ) -> Result<(), ()> {
        let store = |kind| frame.edge.store(Some(Arc::new(Edge { parent, kind })));
        if is_static {
            store(EdgeKind::Static(stamped.transform));
            return Ok(());
        }
        let sample = Sample { stamp: stamped.stamp.as_nanos(), numbers: stamped.transform.to_numbers() };
        let Some(EdgeKind::Moving(ring)) = old.map(|edge| &edge.kind) else {
            store(EdgeKind::Moving(Ring::new(&[sample])));
            return Ok(());
        };
        let newest = ring.newest_stamp();
        if sample.stamp < newest.saturating_sub(self.0.cache_time) {
            return Err(());
        }
        if sample.stamp >= newest && (sample.stamp > newest || ring.newest() != sample) {
            if !ring.append(sample, self.oldest(stamped.stamp)) {
                let mut samples = ring.samples();
                samples.push(sample);
                store(EdgeKind::Moving(Ring::new(&samples)));
            }
        } else if sample.stamp < newest {
            let mut samples = ring.samples();
            if !samples.contains(&sample) {
                // A later one with the same time counts.
                let place = samples.partition_point(|other| other.stamp <= sample.stamp);
                samples.insert(place, sample);
                store(EdgeKind::Moving(Ring::new(&samples)));
            }
        }
        Ok(())
    }

    /// Returns the transform from the frame `source` to the frame `target` at a time. The time 0 is the latest one that all
    /// frames between them have.
    ///
    /// # Errors
    ///
    /// Returns an error if a frame is unknown, if the frames are not connected, or if a frame between them has no transforms
    /// around this time.
    pub fn lookup(&self, target: &str, source: &str, time: Time) -> Result<StampedTransform, LookupError> {
        let index = self.0.index.load();
        let (transform, stamp) = lookup(&index, target, source, time, &LOOKUP)?;
        Ok(StampedTransform { parent: target.into(), child: source.into(), stamp, transform })
    }

    /// Returns the transform from where the frame `source` was at one time to where the frame `target` is at another time.
    /// `fixed` is a frame that does not move between these times.
    ///
    /// ```
    /// # use saltus_tf::{Buffer, StampedTransform, Transform};
    /// # use saltus_types::Time;
    /// let (buffer, at) = (Buffer::default(), Time::from_nanos);
    /// for (nanos, x) in [(1, 0.0), (2, 5.0)] {
    ///     buffer.set(&StampedTransform::new("map", "base", at(nanos), Transform::from_xyz(x, 0.0, 0.0)), "test")?;
    /// }
    /// let moved = buffer.lookup_across("base", at(2), "base", at(1), "map")?;
    /// assert_eq!(moved.transform.translation(), [-5.0, 0.0, 0.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// See [`lookup`](Self::lookup).
    pub fn lookup_across(
        &self,
        target: &str,
        target_time: Time,
        source: &str,
        source_time: Time,
        fixed: &str,
    ) -> Result<StampedTransform, LookupError> {
        let index = self.0.index.load();
        let known = [
            (target, LOOKUP.target),
            (source, LOOKUP.source),
            (fixed, "lookupTransform argument fixed_frame"),
        ];
        known.iter().try_for_each(|(name, argument)| frame_id(&index, name, argument).map(drop))?;
        let (inner, _) = lookup(&index, fixed, source, source_time, &LOOKUP)?;
        let (outer, stamp) = lookup(&index, target, fixed, target_time, &LOOKUP)?;
        let transform = outer.compose(&inner);
        Ok(StampedTransform { parent: target.into(), child: source.into(), stamp, transform })
    }

    /// Returns why there is no transform, or nothing if there is one.
    ///
    /// # Errors
    ///
    /// Returns the reason.
    pub fn can_transform(&self, target: &str, source: &str, time: Time) -> Result<(), LookupError> {
        lookup(&self.0.index.load(), target, source, time, &CAN_TRANSFORM).map(drop)
    }

    /// Returns the latest time that all frames between two frames have; 0 if all of them are static.
    ///
    /// # Errors
    ///
    /// Returns an error if a frame is unknown, or if the frames are not connected.
    pub fn latest_common_time(&self, target: &str, source: &str) -> Result<Time, LookupError> {
        let index = self.0.index.load();
        let target = frame_id(&index, target, LOOKUP.target)?;
        let source = frame_id(&index, source, LOOKUP.source)?;
        let top = common_ancestor(&index, target, source)?;
        Ok(latest_common_time(&index, [target, source], top))
    }

    /// Whether this is the name of a frame.
    pub fn has_frame(&self, name: &str) -> bool {
        self.0.index.load().id(name).is_some()
    }

    /// Returns the parent of a frame, if it has one.
    pub fn parent(&self, name: &str) -> Option<Arc<str>> {
        let index = self.0.index.load();
        let parent = index.frame(index.id(name)?).edge.load().as_ref()?.parent;
        Some(index.frame(parent).name.clone())
    }

    /// Returns the names of all frames.
    pub fn names(&self) -> Vec<Arc<str>> {
        self.0.index.load().frames().iter().map(|frame| frame.name.clone()).collect()
    }

    /// Returns what is known of all frames that have a parent.
    pub fn frames(&self) -> Vec<FrameInfo> {
        let authorities = lock(&self.0.authorities);
        let index = self.0.index.load();
        let info = |(id, frame): (usize, &Arc<Frame>)| {
            let edge = frame.edge.load_full()?;
            let (is_static, (oldest, count), newest) = match &edge.kind {
                EdgeKind::Static(_) => (true, (0, 1), 0),
                EdgeKind::Moving(ring) => (false, ring.oldest_stamp_and_count(), ring.newest_stamp()),
            };
            Some(FrameInfo {
                name: frame.name.clone(),
                parent: index.frame(edge.parent).name.clone(),
                authority: authorities.get(&(id as Id)).cloned().unwrap_or_else(|| "".into()),
                is_static,
                oldest: Time::from_nanos(oldest),
                newest: Time::from_nanos(newest),
                count,
            })
        };
        index.frames().iter().enumerate().filter_map(info).collect()
    }

    pub(crate) fn waiters(&self) -> &Waiters {
        &self.0.waiters
    }

    /// Returns the transform, or an error if it can never be there; `None` if it may come.
    pub(crate) fn outcome(&self, request: &Request) -> Option<Result<StampedTransform, LookupError>> {
        let result = self.lookup(&request.target, &request.source, request.time);
        let may_come = match &result {
            Ok(_) | Err(LookupError::InvalidArgument { .. }) => false,
            Err(LookupError::UnknownFrame { .. } | LookupError::Connectivity { .. }) => true,
            Err(LookupError::Extrapolation { gap, .. }) => match gap {
                Gap::Future { .. } => true,
                // Older ones may still be sent, but not those that would be refused.
                Gap::OnlyOne { requested, only: known } | Gap::Past { requested, earliest: known } => {
                    requested.as_nanos() >= self.oldest(*known)
                }
            },
        };
        (!may_come).then_some(result)
    }
}

/// Returns the names of a parent and a child. As in ROS 2, a slash at the begin is left out.
fn names<'a>(stamped: &'a StampedTransform, authority: &str) -> Result<(&'a str, &'a str), SetError> {
    let plain = |name: &'a str| name.strip_prefix('/').unwrap_or(name);
    let (parent, child, authority) = (plain(&stamped.parent), plain(&stamped.child), authority.to_owned());
    match (parent, child) {
        (_, "") => Err(SetError::NoChild { authority }),
        ("", _) => Err(SetError::NoParent { child: child.into(), authority }),
        _ if parent == child => Err(SetError::SelfTransform { child: child.into(), authority }),
        _ => Ok((parent, child)),
    }
}

/// Whether a frame is below another one, or is this one.
fn is_below(index: &Index, frame: Id, other: Id) -> bool {
    ancestors(index, frame).any(|ancestor| ancestor == other)
}

/// Returns a frame and all above it. There is no loop, but a frame may get another parent while its ancestors are read.
fn ancestors(index: &Index, frame: Id) -> impl Iterator<Item = Id> {
    let above = |id: &Id| parent(index, *id);
    std::iter::successors(Some(frame), above).take(index.frames().len())
}

/// Returns the number of the parent, if there is one. A frame that was added after the index was read counts as none.
fn parent(index: &Index, id: Id) -> Option<Id> {
    let edge = index.frame(id).edge.load();
    edge.as_ref().map(|edge| edge.parent).filter(|parent| (*parent as usize) < index.frames().len())
}

/// The names of the arguments in the errors of a function.
struct Arguments {
    target: &'static str,
    source: &'static str,
}

const LOOKUP: Arguments = Arguments {
    target: "lookupTransform argument target_frame",
    source: "lookupTransform argument source_frame",
};
const CAN_TRANSFORM: Arguments =
    Arguments { target: "canTransform argument target_frame", source: "canTransform argument source_frame" };

fn frame_id(index: &Index, name: &str, argument: &'static str) -> Result<Id, LookupError> {
    let invalid = |reason| Err(LookupError::InvalidArgument { name: name.into(), argument, reason });
    match name.as_bytes().first() {
        None => invalid("cannot be empty"),
        Some(b'/') => invalid("cannot start with a '/'"),
        Some(_) => index.id(name).ok_or_else(|| LookupError::UnknownFrame { name: name.into(), argument }),
    }
}

/// Returns a transform, and its time.
fn lookup(
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
    let top = common_ancestor(index, target_id, source_id)?;
    let time =
        if time == Time::default() { latest_common_time(index, [target_id, source_id], top) } else { time };
    let failed = |gap| LookupError::Extrapolation { gap, target: target.into(), from: source.into() };
    let up = path(index, source_id, top, time).map_err(failed)?;
    if target_id == top {
        return Ok((up, time));
    }
    let down = path(index, target_id, top, time).map_err(failed)?;
    Ok((down.inverse().compose(&up), time))
}

/// Returns the lowest frame that is above two frames, or one of them.
fn common_ancestor(index: &Index, target: Id, source: Id) -> Result<Id, LookupError> {
    let depth = |id| ancestors(index, id).count();
    let (mut left, mut right) = ((target, depth(target)), (source, depth(source)));
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
fn latest_common_time(index: &Index, frames: [Id; 2], top: Id) -> Time {
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

/// Returns the transform from a frame to one above it.
fn path(index: &Index, from: Id, to: Id, time: Time) -> Result<Transform, Gap> {
    let mut transform = Transform::IDENTITY;
    let mut id = from;
    while id != to {
        let edge = index.frame(id).edge.load();
        // The edge was there a moment ago. Without it, the buffer was cleared.
        let Some(edge) = edge.as_ref() else {
            return Err(Gap::OnlyOne { requested: time, only: Time::default() });
        };
        let step = match &edge.kind {
            EdgeKind::Static(step) => *step,
            EdgeKind::Moving(ring) => at(ring, time)?,
        };
        transform = step.compose(&transform);
        id = edge.parent;
        if id as usize >= index.frames().len() {
            return Err(Gap::OnlyOne { requested: time, only: Time::default() });
        }
    }
    Ok(transform)
}

/// Returns the transform of a frame to its parent at a time.
fn at(ring: &Ring, time: Time) -> Result<Transform, Gap> {
    let requested = time;
    match ring.find(time.as_nanos()) {
        Found::At(sample) => Ok(Transform::from_numbers(sample.numbers)),
        Found::Between(older, newer) => {
            let ratio = (time.as_nanos() - older.stamp) as f64 / (newer.stamp - older.stamp) as f64;
            let [older, newer] = [older, newer].map(|sample| Transform::from_numbers(sample.numbers));
            Ok(older.interpolate(&newer, ratio))
        }
        Found::Only(only) => Err(Gap::OnlyOne { requested, only: Time::from_nanos(only) }),
        Found::Before(earliest) => Err(Gap::Past { requested, earliest: Time::from_nanos(earliest) }),
        Found::After(latest) => Err(Gap::Future { requested, latest: Time::from_nanos(latest) }),
    }
}
