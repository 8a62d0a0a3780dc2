//! Synchronizers of subscriptions.

use std::{sync::mpsc, time::Duration};

use saltus::{
    Context, Executor, SingleThreadedExecutor,
    context::ContextOptions,
    filters::{ExactTime, Synchronizer},
    msgs::{
        builtin_interfaces::msg::Time as Stamp,
        sensor_msgs::msg::{Image, Imu},
        std_msgs::msg::Header,
    },
    topic::Received,
};

const LONG: Duration = Duration::from_secs(10);

fn header(sec: i32) -> Header {
    Header { stamp: Stamp { sec, nanosec: 5 }, frame_id: "camera".into() }
}

#[test]
fn messages_stay_in_the_memory_of_their_publishers() {
    let shm = tempfile::tempdir_in("/dev/shm").unwrap();
    let options = ContextOptions::default().domain(0).folder(shm.path()).handle_signals(false);
    let context: Context = options.create().unwrap();
    let node = context.node("fusion").create().unwrap();
    let (sender, sets) = mpsc::channel();
    type Pair = (Received<Image>, Received<Imu>);
    let pairs = Synchronizer::<Pair>::exact(ExactTime::new(2, 10), move |pair| sender.send(pair).unwrap());
    let images = node.subscription("image").received(pairs.input::<0>(Received::stamp)).unwrap();
    let imus = node.subscription("imu").received(pairs.input::<1>(Received::stamp)).unwrap();
    let image = node.publisher::<Image>("image").create().unwrap();
    let imu = node.publisher::<Imu>("imu").create().unwrap();
    assert!(image.wait_for_subscriptions(1, LONG) && imu.wait_for_subscriptions(1, LONG));
    for sec in 1..=8 {
        image
            .publish(&Image { header: header(sec), data: vec![sec as u8; 10_000], ..Image::default() })
            .unwrap();
    }
    for sec in [-1, 7] {
        imu.publish(&Imu { header: header(sec), ..Imu::default() }).unwrap();
    }
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    let mut found = Vec::new();
    while found.is_empty() {
        executor.spin_once(Some(LONG)).unwrap();
        found.extend(sets.try_iter());
    }
    let [(image, imu)] = &found[..] else { panic!("{found:?}") };
    assert_eq!((image.stamp(), imu.stamp()), (saltus::Time::from_nanos(7_000_000_005), image.stamp()));
    assert_eq!(image.view().unwrap().data()[9_999], 7);
    assert_eq!((images.status().copied, imus.status().copied), (0, 0));
}
