//! The loss causes that occur only when a process dies.

use std::time::Duration;

use saltus::{
    context::ContextOptions,
    graph::Report,
    msgs::std_msgs::msg::UInt64,
    qos::{LossCause, Losses},
};
use saltus_e2e::{Actor, ShmFolder};

const ACTOR: &str = env!("CARGO_BIN_EXE_actor");
const LONG: Duration = Duration::from_secs(10);

#[test]
fn messages_that_a_dead_process_had_not_taken_are_counted_by_the_publisher() {
    let shm = ShmFolder::new();
    let options = ContextOptions::default().domain(0).folder(shm.path()).handle_signals(false);
    let context = options.create().unwrap();
    let publisher = context.node("talker").create().unwrap().publisher::<UInt64>("sink").create().unwrap();
    let mut lost = 0;
    for round in 1..=3u64 {
        let mut sink: Actor = shm.start(ACTOR, &["sink"]);
        sink.wait_until_ready();
        assert!(publisher.wait_for_subscriptions(1, LONG));
        (0..10 * round).for_each(|data| publisher.publish(&UInt64 { data }).unwrap());
        assert_eq!(publisher.status().losses.total(), lost, "the messages are still in the queue");
        sink.kill();
        assert!(context.wait_until(LONG, || publisher.subscription_count() == 0));
        lost += 10 * round;
        let mut expected = Losses::default();
        expected.add(LossCause::ProcessDied, lost);
        assert_eq!(publisher.status().losses, expected);
        let report =
            Report::observe(ContextOptions::default().domain(0).folder(shm.path()).domain_id().unwrap());
        assert_eq!(
            report.unwrap().endpoints[&publisher.info().gid].losses,
            expected,
            "the losses that are read without joining the domain"
        );
    }
}
