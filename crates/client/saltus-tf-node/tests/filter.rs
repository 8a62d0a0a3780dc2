//! Message filters, whose functions may do anything.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, OnceLock},
};

use saltus::{
    Time,
    tf::{Buffer, MessageFilter, StampedTransform, Transform},
};

fn moved(parent: &str, child: &str) -> StampedTransform {
    StampedTransform::new(parent, child, Time::from_nanos(5), Transform::IDENTITY)
}

#[test]
fn the_function_may_set_transforms_and_add_messages() {
    let (buffer, seen) = (Buffer::default(), Arc::new(Mutex::new(Vec::new())));
    let filter = Arc::new(OnceLock::<MessageFilter<u32>>::new());
    let callback = {
        let (buffer, seen, filter) = (buffer.clone(), seen.clone(), filter.clone());
        move |number: u32| {
            seen.lock().unwrap().push(number);
            if number == 1 {
                buffer.set(&moved("map", "camera"), "test").unwrap();
                filter.get().unwrap().add("/laser", Time::from_nanos(5), 3);
            }
        }
    };
    let filter = filter.get_or_init(|| MessageFilter::new(&buffer, &["map"], 10, callback));
    filter.add("laser", Time::from_nanos(5), 1);
    filter.add("camera", Time::from_nanos(5), 2);
    buffer.set(&moved("map", "laser"), "test").unwrap();
    assert_eq!(*seen.lock().unwrap(), [1, 2, 3]);
    assert_eq!((filter.waiting(), filter.dropped()), (0, 0));
}

#[test]
fn a_panic_of_the_function_ends_only_its_call() {
    let (buffer, seen) = (Buffer::default(), Arc::new(Mutex::new(Vec::new())));
    let sink = seen.clone();
    let filter = MessageFilter::new(&buffer, &["map"], 10, move |number: u32| {
        assert_ne!(number, 1, "this one panics");
        sink.lock().unwrap().push(number);
    });
    buffer.set(&moved("map", "laser"), "test").unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| filter.add("laser", Time::from_nanos(5), 1)));
    assert!(panicked.is_err());
    filter.add("laser", Time::from_nanos(5), 2);
    assert_eq!(*seen.lock().unwrap(), [2]);
    // The messages of this filter and of others that become ready at the same time are released.
    let sink = seen.clone();
    let other =
        MessageFilter::new(&buffer, &["map"], 10, move |number: u32| sink.lock().unwrap().push(number));
    filter.add("camera", Time::from_nanos(5), 1);
    filter.add("camera", Time::from_nanos(5), 3);
    other.add("camera", Time::from_nanos(5), 4);
    let camera = moved("map", "camera");
    assert!(catch_unwind(AssertUnwindSafe(|| buffer.set(&camera, "test"))).is_err());
    assert_eq!(*seen.lock().unwrap(), [2, 3, 4]);
}
