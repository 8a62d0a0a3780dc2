//! Sets and looks up the transforms of all frames.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use arc_swap::ArcSwap;
use saltus_types::{Time, lock};

use crate::{
    error::{Gap, LookupError, SetError},
    history::{MAX_SAMPLES, Ring, Sample},
    index::{Edge, EdgeKind, Frame, Id, Index},
    lookup::{
        CAN_TRANSFORM, LOOKUP, common_ancestor, frame_id, is_below, latest_common_time, lookup, parent,
    },
    transform::StampedTransform,
    waiters::{Request, Waiters},
};

/// The time for which transforms are kept, as in ROS 2.
const CACHE_TIME: Duration = Duration::from_secs(10);

/// The largest number of frames of a buffer, so that a faulty or hostile sender can't fill the memory.
const MAX_FRAMES: usize = 10_000;
/// The largest length of the name of a frame, in bytes. A transform with a longer name is refused.
pub const MAX_NAME_LENGTH: usize = 1024;

/// The transforms of all frames over the last seconds. Its clones are the same buffer.
///
/// Readers never wait: neither for each other, nor for those who set transforms.
#[derive(Clone, Debug)]
pub struct Buffer(Arc<BufferState>);

#[derive(Debug)]
struct BufferState {
    index: ArcSwap<Index>,
    /// In nanoseconds.
    cache_time: i64,
    /// The names of the senders of each frame's transforms. The lock is held while a transform is set, so that only one thread at
    /// a time does it.
    authorities: Mutex<HashMap<Id, Arc<str>>>,
    waiters: Waiters,
}

/// A frame that has a parent.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameInfo {
    /// Its name.
    pub name: Arc<str>,
    /// The name of its parent.
    pub parent: Arc<str>,
    /// The name of the sender of its transforms.
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
        Self(Arc::new(BufferState {
            index: ArcSwap::default(),
            cache_time: cache_time.as_nanos().try_into().unwrap_or(i64::MAX),
            authorities: Mutex::default(),
            waiters: Waiters::default(),
        }))
    }

    /// Returns the time for which transforms are kept.
    pub fn cache_time(&self) -> Duration {
        Duration::from_nanos(self.0.cache_time.unsigned_abs())
    }

    /// Sets the transform of a frame at a time. `authority` is the name of the sender.
    ///
    /// # Errors
    ///
    /// Returns an error if the names can't be those of a child and its parent, if the transform is older than all that are kept,
    /// if the child has another parent, if there would be a loop, or if there are too many frames. A child may have another parent after it had no transforms for
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

    /// Removes the transforms that change, such as after a jump of the clock back in time. The names and the static transforms
    /// stay, as in ROS 2.
    pub fn clear(&self) {
        let _authorities = lock(&self.0.authorities);
        for frame in self.0.index.load().frames() {
            if matches!(frame.edge.load().as_deref(), Some(Edge { kind: EdgeKind::Moving(_), .. })) {
                frame.edge.store(None);
            }
        }
    }

    fn insert(&self, stamped: &StampedTransform, authority: &str, is_static: bool) -> Result<(), SetError> {
        let (parent, child) = names(stamped, authority)?;
        let mut authorities = lock(&self.0.authorities);
        let index = self.0.index.load_full();
        if let Some(child_id) = index.id(child) {
            self.check_parent(&index, &authorities, child_id, (parent, child), stamped.stamp, authority)?;
        }
        let (index, [child_id, parent_id]) = self.with_frames(index, [child, parent])?;
        let frame = index.frame(child_id);
        let old = frame.edge.load_full().filter(|edge| edge.parent == parent_id);
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

    /// Returns an error if a frame that is known can't have this parent.
    fn check_parent(
        &self,
        index: &Index,
        authorities: &HashMap<Id, Arc<str>>,
        child_id: Id,
        (parent, child): (&str, &str),
        stamp: Time,
        authority: &str,
    ) -> Result<(), SetError> {
        let old = index.frame(child_id).edge.load_full();
        let old = old.as_deref().filter(|edge| index.id(parent) != Some(edge.parent));
        let is_over = |edge: &Edge| match &edge.kind {
            EdgeKind::Static(_) => false,
            EdgeKind::Moving(ring) => ring.newest_stamp() < self.oldest(stamp),
        };
        if let Some(edge) = old.filter(|edge| !is_over(edge)) {
            return Err(SetError::Reparented {
                child: child.into(),
                parent: parent.into(),
                known: index.frame(edge.parent).name.to_string(),
                authority: authority.into(),
                known_authority: authorities.get(&child_id).map(ToString::to_string).unwrap_or_default(),
            });
        }
        if index.id(parent).is_some_and(|parent_id| is_below(index, parent_id, child_id)) {
            let (child, parent) = (child.into(), parent.into());
            return Err(SetError::Loop { child, parent, authority: authority.into() });
        }
        Ok(())
    }

    /// Adds the frames that are missing. Returns their numbers.
    fn with_frames(&self, index: Arc<Index>, names: [&str; 2]) -> Result<(Arc<Index>, [Id; 2]), SetError> {
        if let [Some(first), Some(second)] = names.map(|name| index.id(name)) {
            return Ok((index, [first, second]));
        }
        let missing = names.iter().filter(|name| index.id(name).is_none()).count();
        if index.frames().len() + missing > MAX_FRAMES {
            return Err(SetError::TooManyFrames { child: names[0].into(), most: MAX_FRAMES });
        }
        let mut new = (*index).clone();
        let ids = names.map(|name| new.id(name).unwrap_or_else(|| new.add(name)));
        let new = Arc::new(new);
        self.0.index.store(new.clone());
        Ok((new, ids))
    }

    /// Returns the time before which transforms are too old, if the newest transform has the time `stamp`.
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
        if sample.stamp > newest && ring.append(sample, self.oldest(stamped.stamp)) {
            return Ok(());
        }
        let mut samples = ring.samples();
        let index = samples.partition_point(|other| other.stamp < sample.stamp);
        match samples.get_mut(index).filter(|other| other.stamp == sample.stamp) {
            Some(known) if *known == sample => return Ok(()),
            Some(known) => *known = sample,
            None => samples.insert(index, sample),
        }
        samples.drain(..samples.len().saturating_sub(MAX_SAMPLES));
        store(EdgeKind::Moving(Ring::new(&samples)));
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

    /// Checks whether there is a transform.
    ///
    /// # Errors
    ///
    /// Returns the reason why there is none.
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
        let parent = parent(&index, index.id(name)?)?;
        Some(index.frame(parent).name.clone())
    }

    /// Returns the names of all frames.
    pub fn names(&self) -> Vec<Arc<str>> {
        self.0.index.load().frames().iter().map(|frame| frame.name.clone()).collect()
    }

    /// Returns all frames that have a parent.
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

    /// Returns the requested transform, or an error if it can never be there. Returns `None` if it may come later.
    pub(crate) fn outcome(&self, request: &Request) -> Option<Result<StampedTransform, LookupError>> {
        let result = self.lookup(&request.target, &request.source, request.time);
        let may_come = match &result {
            Ok(_) | Err(LookupError::InvalidArgument { .. }) => false,
            Err(LookupError::UnknownFrame { .. } | LookupError::Connectivity { .. }) => true,
            Err(LookupError::Extrapolation { gap, .. }) => match gap {
                Gap::Future { .. } => true,
                // Older ones may still be sent, but not those that would be refused.
                Gap::OnlyOne { requested, only: newest } | Gap::Past { requested, latest: newest, .. } => {
                    requested.as_nanos() >= self.oldest(*newest)
                }
            },
        };
        (!may_come).then_some(result)
    }
}

/// Returns the names of a parent and a child. As in ROS 2, a `/` at the start is removed.
fn names<'a>(stamped: &'a StampedTransform, authority: &str) -> Result<(&'a str, &'a str), SetError> {
    let plain = |name: &'a str| name.strip_prefix('/').unwrap_or(name);
    let (parent, child, authority) = (plain(&stamped.parent), plain(&stamped.child), authority.to_owned());
    match (parent, child) {
        (_, "") => Err(SetError::NoChild { authority }),
        ("", _) => Err(SetError::NoParent { child: child.into(), authority }),
        _ if parent.len().max(child.len()) > MAX_NAME_LENGTH => {
            Err(SetError::LongName { authority, most: MAX_NAME_LENGTH })
        }
        _ if parent == child => Err(SetError::SelfTransform { child: child.into(), authority }),
        _ => Ok((parent, child)),
    }
}
