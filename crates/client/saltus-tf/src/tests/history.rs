//! The transforms of one frame.

use crate::history::{Found, Ring, Sample};

fn sample(stamp: i64) -> Sample {
    Sample { stamp, numbers: [stamp as f64; 7] }
}

#[test]
fn a_time_is_found_at_a_transform_or_between_two() {
    let stamps = [10, 20, 20, 30, 50, 80, 130, 210];
    let ring = Ring::new(&stamps.map(sample));
    for time in 0..220 {
        let want = match time {
            ..10 => Found::Before(10, 210),
            211.. => Found::After(210),
            _ if stamps.contains(&time) => Found::At(sample(time)),
            _ => {
                let index = stamps.iter().rposition(|stamp| *stamp < time).unwrap();
                Found::Between(sample(stamps[index]), sample(stamps[index + 1]))
            }
        };
        assert_eq!(ring.find(time), want, "{time}");
    }
    assert_eq!(Ring::new(&[sample(5)]).find(5), Found::At(sample(5)));
    assert_eq!(Ring::new(&[sample(5)]).find(6), Found::Only(5));
}

#[test]
fn old_transforms_make_room_for_new_ones() {
    let ring = Ring::tiny(sample(0), 4);
    assert!((1..4).all(|stamp| ring.append(sample(stamp), 0)));
    assert!(!ring.append(sample(4), 0), "all are young");
    assert!(ring.append(sample(4), 2));
    assert_eq!(ring.samples(), [2, 3, 4].map(sample));
    assert_eq!((ring.newest_stamp(), ring.oldest_stamp_and_count()), (4, (2, 3)));
    assert!(ring.append(sample(100), 100));
    assert_eq!(ring.samples(), [100].map(sample));
}
