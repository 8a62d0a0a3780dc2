//! Transforms over time: what is kept, in which order it may come, and who waits for it.

use std::{
    future::Future,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

use super::{at, set, stamped, x};
use crate::{Buffer, Gap, LookupError, StampedTransform, Transform};

const LATEST: saltus_types::Time = saltus_types::Time::from_nanos(0);

#[test]
fn transforms_are_kept_for_the_cache_time() {
    let buffer = Buffer::new(Duration::from_secs(2));
    for second in 1..=5 {
        set(&buffer, "map", "base", at(second.into()), second.into());
    }
    assert_eq!(x(&buffer, "map", "base", at(3.5)), 3.5);
    let error = buffer.can_transform("map", "base", at(2.5)).unwrap_err();
    let gap = Gap::Past { requested: at(2.5), earliest: at(3.0), latest: at(5.0) };
    assert_eq!(error, LookupError::Extrapolation { gap, target: "map".into(), from: "base".into() });
    let info = &buffer.frames()[0];
    assert_eq!((info.count, info.oldest, info.newest), (3, at(3.0), at(5.0)));
}

#[test]
fn a_fast_sender_does_not_fill_the_memory() {
    let buffer = Buffer::default();
    let most = crate::history::MAX_SAMPLES;
    let stamp = |index: usize| saltus_types::Time::from_nanos(1_000_000_000 + 1000 * index as i64);
    for index in 0..most + 100 {
        set(&buffer, "map", "base", stamp(index), index as f64);
    }
    let info = || (buffer.frames()[0].count, buffer.frames()[0].oldest, buffer.frames()[0].newest);
    assert_eq!(info(), (most, stamp(100), stamp(most + 99)));
    assert_eq!(x(&buffer, "map", "base", stamp(100)), 100.0);
    // One between the others takes the place of the oldest one, too.
    let between = saltus_types::Time::from_nanos(stamp(5000).as_nanos() + 500);
    set(&buffer, "map", "base", between, 7.0);
    assert_eq!(info(), (most, stamp(101), stamp(most + 99)));
    assert_eq!(x(&buffer, "map", "base", between), 7.0);
    set(&buffer, "map", "base", stamp(most + 100), 8.0);
    assert_eq!(info(), (most, stamp(102), stamp(most + 100)));
}

#[test]
fn transforms_may_come_in_any_order_and_twice() {
    let buffer = Buffer::default();
    for second in [5.0, 1.0, 3.0, 2.0, 4.0, 3.0, 5.0] {
        set(&buffer, "map", "base", at(second), second);
    }
    assert_eq!(buffer.frames()[0].count, 5);
    assert_eq!(x(&buffer, "map", "base", at(2.25)), 2.25);
    // Another transform with the same time replaces the first one for this time.
    set(&buffer, "map", "base", at(5.0), 7.0);
    set(&buffer, "map", "base", at(2.0), 0.0);
    assert_eq!(buffer.frames()[0].count, 5);
    assert_eq!((x(&buffer, "map", "base", at(5.0)), x(&buffer, "map", "base", at(2.0))), (7.0, 0.0));
    let old = buffer.set(&stamped("map", "base", at(-5.1), 0.0), "me").unwrap_err();
    let want =
        "TF_OLD_DATA ignoring data from the past for frame base at time -5.100000 according to authority me";
    assert_eq!(old.to_string(), want);
}

#[test]
fn the_latest_time_is_that_which_all_frames_have() {
    let buffer = Buffer::default();
    set(&buffer, "map", "odom", at(1.0), 1.0);
    set(&buffer, "map", "odom", at(2.0), 2.0);
    set(&buffer, "odom", "base", at(1.0), 10.0);
    set(&buffer, "odom", "base", at(3.0), 30.0);
    buffer.set_static(&stamped("base", "laser", at(0.0), 100.0), "test").unwrap();
    let found = buffer.lookup("map", "laser", LATEST).unwrap();
    assert_eq!((found.stamp, found.transform.translation()[0]), (at(2.0), 2.0 + 20.0 + 100.0));
    assert_eq!(buffer.latest_common_time("laser", "map"), Ok(at(2.0)));
    assert_eq!(buffer.lookup("laser", "odom", LATEST).unwrap().stamp, at(3.0));
    assert_eq!(buffer.lookup("laser", "base", LATEST).unwrap().stamp, LATEST);
    assert_eq!(buffer.lookup("base", "base", LATEST).unwrap().stamp, at(3.0));
    assert_eq!(buffer.lookup("unknown", "unknown", at(1.0)).unwrap().stamp, at(1.0));
    // Only the frames between them count.
    assert_eq!(x(&buffer, "odom", "laser", at(3.0)), 130.0);
    assert_eq!(x(&buffer, "laser", "odom", at(3.0)), -130.0);
}

#[test]
fn a_rotation_takes_the_shortest_way() {
    let buffer = Buffer::default();
    let turned = |degrees: f64| Transform::from_xyz_rpy([0.0; 3], [0.0, 0.0, degrees.to_radians()]);
    for (second, degrees) in [(1.0, 170.0), (2.0, -170.0)] {
        buffer.set(&StampedTransform::new("a", "b", at(second), turned(degrees)), "test").unwrap();
    }
    for (time, want) in [(1.25, 175.0), (1.5, 180.0), (1.75, -175.0)] {
        let [.., yaw] = buffer.lookup("a", "b", at(time)).unwrap().transform.rpy();
        let difference = (yaw.to_degrees() - want + 540.0).rem_euclid(360.0) - 180.0;
        assert!(difference.abs() < 1e-9, "{time}: {yaw}");
    }
}

#[test]
fn a_cleared_buffer_has_names_and_static_transforms() {
    let buffer = Buffer::default();
    set(&buffer, "map", "base", at(9.0), 1.0);
    buffer.set_static(&stamped("base", "laser", at(9.0), 4.0), "test").unwrap();
    buffer.clear();
    assert!(matches!(buffer.can_transform("map", "base", LATEST), Err(LookupError::Connectivity { .. })));
    assert_eq!((buffer.names().len(), buffer.frames().len(), buffer.parent("base")), (3, 1, None));
    assert_eq!(x(&buffer, "base", "laser", at(1.0)), 4.0);
    // The clock has jumped back, and the frame may have another parent.
    set(&buffer, "odom", "base", at(1.0), 2.0);
    assert_eq!(x(&buffer, "odom", "base", at(1.0)), 2.0);
}

/// Counts how often it is called.
#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn a_future_is_woken_only_when_its_transform_is_there() {
    let (buffer, count) = (Buffer::default(), Arc::<Count>::default());
    let waker = Waker::from(count.clone());
    let mut context = Context::from_waker(&waker);
    let woken = || count.0.load(Ordering::SeqCst);
    {
        let mut future = pin!(buffer.wait("map", "base", at(1.5)));
        assert!(future.as_mut().poll(&mut context).is_pending());
        set(&buffer, "map", "other", at(1.0), 1.0);
        set(&buffer, "map", "base", at(1.0), 1.0);
        assert_eq!(woken(), 0);
        set(&buffer, "map", "base", at(2.0), 2.0);
        assert_eq!(woken(), 1);
        let Poll::Ready(found) = future.as_mut().poll(&mut context) else { panic!("it was woken") };
        assert_eq!(found.unwrap().transform.translation()[0], 1.5);
    }
    // A future that was dropped is not woken, and one for a time that is too long ago ends with an error.
    drop(pin!(buffer.wait("map", "base", at(5.0))).as_mut().poll(&mut context));
    set(&buffer, "map", "base", at(13.0), 3.0);
    assert_eq!(woken(), 1);
    let past = pin!(buffer.wait("map", "base", at(1.0))).as_mut().poll(&mut context);
    assert!(matches!(past, Poll::Ready(Err(LookupError::Extrapolation { .. }))), "{past:?}");
    // It is not before the cache time of the oldest one, but those of its time are refused.
    set(&buffer, "map", "base", at(22.0), 3.0);
    let past = pin!(buffer.wait("map", "base", at(11.0))).as_mut().poll(&mut context);
    assert!(matches!(past, Poll::Ready(Err(LookupError::Extrapolation { .. }))), "{past:?}");
    let invalid = pin!(buffer.wait("/map", "base", at(1.0))).as_mut().poll(&mut context);
    assert!(matches!(invalid, Poll::Ready(Err(LookupError::InvalidArgument { .. }))));
}

/// The transform of each frame is as large as its time, so a reader knows what it must find.
#[test]
fn readers_see_whole_transforms_while_others_write() {
    let buffer = Buffer::new(Duration::from_nanos(100));
    let set_both = |nanos: i64| {
        let stamp = saltus_types::Time::from_nanos(nanos);
        set(&buffer, "a", "b", stamp, nanos as f64);
        set(&buffer, "b", "c", stamp, nanos as f64);
    };
    set_both(1);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut last = 0;
                    while last < 20_000 {
                        let Ok(found) = buffer.lookup("a", "c", LATEST) else { continue };
                        let nanos = found.stamp.as_nanos();
                        assert!(nanos >= last);
                        assert_eq!(found.transform.translation()[0], 2.0 * nanos as f64);
                        last = nanos;
                    }
                })
            })
            .collect();
        (2..=20_000).for_each(set_both);
        readers.into_iter().for_each(|reader| reader.join().unwrap());
    });
}
