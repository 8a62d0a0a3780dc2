//! Tests of QoS profiles. The compatibility of every pair of profiles is compared with the documented tables.

use super::*;

const SHORT: Duration = Duration::from_millis(10);
const LONG: Duration = Duration::from_millis(20);

/// Every profile that matters for compatibility: 2 reliabilities, 2 durabilities, 3 deadlines,
/// 2 kinds of liveliness, 3 leases.
fn all() -> Vec<QoS> {
    let periods = [None, Some(SHORT), Some(LONG)];
    let mut all = Vec::new();
    for reliability in [Reliability::Reliable, Reliability::BestEffort] {
        for durability in [Durability::Volatile, Durability::TransientLocal] {
            for liveliness in [Liveliness::Automatic, Liveliness::ManualByTopic] {
                for deadline in periods {
                    for lease in periods {
                        let qos =
                            QoS { reliability, durability, liveliness, deadline, lease, ..QoS::default() };
                        all.push(qos);
                    }
                }
            }
        }
    }
    all
}

/// Returns the first policy that does not match, according to the tables in the ROS 2 documentation.
fn table(offered: &QoS, requested: &QoS) -> Option<QosMismatch> {
    let reliability = [("RELIABLE", "RELIABLE"), ("RELIABLE", "BEST_EFFORT"), ("BEST_EFFORT", "BEST_EFFORT")];
    let durability =
        [("VOLATILE", "VOLATILE"), ("TRANSIENT_LOCAL", "VOLATILE"), ("TRANSIENT_LOCAL", "TRANSIENT_LOCAL")];
    let liveliness = [
        ("AUTOMATIC", "AUTOMATIC"),
        ("MANUAL_BY_TOPIC", "AUTOMATIC"),
        ("MANUAL_BY_TOPIC", "MANUAL_BY_TOPIC"),
    ];
    // Pairs of an offered and a requested period that match. `None`, the default, is no offer or no request.
    let periods = [
        (None, None),
        (Some(SHORT), None),
        (Some(LONG), None),
        (Some(SHORT), Some(SHORT)),
        (Some(SHORT), Some(LONG)),
        (Some(LONG), Some(LONG)),
    ];
    let word = |a: &dyn ToString, b: &dyn ToString| (a.to_string(), b.to_string());
    let has = |table: &[(&str, &str)], pair: (String, String)| {
        table.iter().any(|(a, b)| (*a, *b) == (&*pair.0, &*pair.1))
    };
    if !has(&reliability, word(&offered.reliability, &requested.reliability)) {
        return Some(QosMismatch::Reliability);
    }
    if !has(&durability, word(&offered.durability, &requested.durability)) {
        return Some(QosMismatch::Durability);
    }
    if !periods.contains(&(offered.deadline, requested.deadline)) {
        return Some(QosMismatch::Deadline);
    }
    let lease = periods.contains(&(offered.lease, requested.lease));
    (!has(&liveliness, word(&offered.liveliness, &requested.liveliness)) || !lease)
        .then_some(QosMismatch::Liveliness)
}

#[test]
fn every_pair_of_profiles_matches_as_in_the_documented_tables() {
    let all = all();
    let mut matching = 0;
    for offered in &all {
        for requested in &all {
            assert_eq!(
                offered.offers(requested).err(),
                table(offered, requested),
                "{offered:?} for {requested:?}"
            );
            matching += usize::from(offered.offers(requested).is_ok());
        }
    }
    assert_eq!((all.len().pow(2), matching), (5184, 3 * 3 * 3 * 6 * 6), "some pairs match and some do not");
}

#[test]
fn best_available_matches_the_present_profiles_of_the_other_side() {
    let all = all();
    for (i, one) in all.iter().enumerate() {
        let others = [*one, all[(i * 7 + 3) % all.len()]];
        let requested = QoS::best_available().resolve(Side::Subscription, &others);
        assert!(
            others.iter().all(|offered| offered.offers(&requested).is_ok()),
            "{requested:?} of {others:?}"
        );
        let offered = QoS::best_available().resolve(Side::Publisher, &others);
        assert!(
            others.iter().all(|requested| offered.offers(requested).is_ok()),
            "{offered:?} for {others:?}"
        );
    }
    let strongest =
        QoS::keep_last(10).transient_local().deadline(SHORT).liveliness(Liveliness::ManualByTopic, LONG);
    assert_eq!(
        QoS::best_available().resolve(Side::Subscription, &[strongest]),
        strongest,
        "the strongest values are chosen"
    );
    assert_eq!(QoS::best_available().resolve(Side::Subscription, &[]), QoS::default().transient_local());
    assert_eq!(
        QoS::default().resolve(Side::Publisher, &[strongest]),
        QoS::default(),
        "other values are not changed"
    );
}

#[test]
fn the_words_of_policies_are_those_of_ros_2() {
    assert_eq!("best_effort".parse(), Ok(Reliability::BestEffort));
    assert_eq!("transient_local".parse(), Ok(Durability::TransientLocal));
    assert_eq!(Liveliness::ManualByTopic.to_string(), "MANUAL_BY_TOPIC");
    let error = "loud".parse::<Durability>().unwrap_err().to_string();
    assert_eq!(error, "expected volatile, transient_local or best_available, found `loud`");
    let presets: Vec<&str> = QoS::PRESETS.iter().map(|(name, _)| *name).collect();
    assert!(presets.contains(&"sensor_data") && presets.contains(&"best_available"));
}

#[test]
fn a_depth_of_zero_keeps_one_message() {
    assert_eq!(QoS::from(0).history.depth(), 1);
    assert_eq!(History::KeepLast(0).depth(), 1);
}
