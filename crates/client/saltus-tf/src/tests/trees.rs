//! Random trees of frames.

use proptest::prelude::*;

use super::{
    at,
    matrices::{IDENTITY, Rigid, about},
};
use crate::{Buffer, StampedTransform, Transform};

/// The length of the histories in seconds, and their number of transforms.
const LENGTH: f64 = 8.0;
const SAMPLES: usize = 9;

/// Numbers that follow from a seed.
struct Random(u64);

impl Random {
    /// Returns a number from 0 to 1.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, count: usize) -> usize {
        ((self.unit() * count as f64) as usize).min(count - 1)
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + self.unit() * (high - low)
    }

    /// Returns a direction of the length 1.
    fn axis(&mut self) -> [f64; 3] {
        let (z, angle) = (self.between(-1.0, 1.0), self.between(0.0, std::f64::consts::TAU));
        let radius = (1.0 - z * z).sqrt();
        [radius * angle.cos(), radius * angle.sin(), z]
    }
}

/// A frame, with its transforms to its parent as matrices. One that is static has only one transform.
struct Frame {
    parent: usize,
    samples: Vec<(f64, Rigid)>,
}

/// A tree of frames; the first one has no parent.
struct Tree {
    frames: Vec<Frame>,
    buffer: Buffer,
}

fn name(frame: usize) -> String {
    format!("frame{frame}")
}

impl Tree {
    fn new(count: usize, random: &mut Random) -> Self {
        let mut tree =
            Self { frames: vec![Frame { parent: 0, samples: Vec::new() }], buffer: Buffer::default() };
        for child in 1..count {
            let parent = random.below(child);
            let is_static = random.unit() < 0.2;
            let times: Vec<f64> = match is_static {
                true => vec![0.0],
                // The first and the last time are in all histories.
                false => (0..SAMPLES)
                    .map(|index| 100.0 + LENGTH * index as f64 / (SAMPLES - 1) as f64)
                    .enumerate()
                    .map(|(index, time)| {
                        let is_inner = index > 0 && index < SAMPLES - 1;
                        // Stamps have whole nanoseconds.
                        at(if is_inner { time + random.between(-0.4, 0.4) } else { time }).as_secs_f64()
                    })
                    .collect(),
            };
            let (mut axis, mut angle) = (random.axis(), random.between(-3.0, 3.0));
            let mut samples = Vec::new();
            for time in times {
                let translation = [(); 3].map(|()| random.between(-10.0, 10.0));
                tree.set(parent, child, time, is_static, (axis, angle, translation));
                samples.push((time, Rigid { rotation: about(axis, angle), translation }));
                // The next rotation is not far, so that the shortest way is clear.
                angle += random.between(-1.0, 1.0);
                if random.unit() < 0.1 {
                    (axis, angle) = (random.axis(), random.between(-1.0, 1.0));
                }
            }
            tree.frames.push(Frame { parent, samples });
        }
        tree
    }

    fn set(&self, parent: usize, child: usize, time: f64, is_static: bool, pose: ([f64; 3], f64, [f64; 3])) {
        let (axis, angle, translation) = pose;
        let (s, c) = (angle / 2.0).sin_cos();
        let transform = Transform::new(translation, [axis[0] * s, axis[1] * s, axis[2] * s, c]).unwrap();
        let stamped = StampedTransform::new(&name(parent), &name(child), at(time), transform);
        let result = match is_static {
            true => self.buffer.set_static(&stamped, "test"),
            false => self.buffer.set(&stamped, "test"),
        };
        result.unwrap();
    }

    /// Returns the transform of a frame to the root.
    fn to_root(&self, mut frame: usize, time: f64) -> Rigid {
        let mut all = IDENTITY;
        while frame != 0 {
            let Frame { parent, samples } = &self.frames[frame];
            let step = match &samples[..] {
                [(_, only)] => *only,
                samples => {
                    let index =
                        samples.windows(2).position(|pair| time <= pair[1].0).unwrap_or(samples.len() - 2);
                    let ((begin, older), (end, newer)) = (samples[index], samples[index + 1]);
                    older.interpolate(&newer, (time - begin) / (end - begin))
                }
            };
            all = step.compose(&all);
            frame = *parent;
        }
        all
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn transforms_are_those_of_a_calculation_with_matrices(count in 2_usize..=200, seed: u64) {
        let mut random = Random(seed);
        let tree = Tree::new(count, &mut random);
        for _ in 0..50 {
            let (target, source) = (random.below(count), random.below(count));
            let time = at(random.between(100.0, 100.0 + LENGTH));
            let found = tree.buffer.lookup(&name(target), &name(source), time).unwrap().transform;
            let time = time.as_secs_f64();
            let want = tree.to_root(target, time).inverse().compose(&tree.to_root(source, time));
            let error = want.distance(found.matrix(), found.translation());
            prop_assert!(error < 1e-9, "{error:e} from {source} to {target} at {time}");
        }
    }

    #[test]
    fn a_transform_across_two_times_is_that_of_both_halves(count in 2_usize..50, seed: u64) {
        let mut random = Random(seed);
        let tree = Tree::new(count, &mut random);
        let [target, source, fixed] = [(); 3].map(|()| random.below(count));
        let [first, second] = [(); 2].map(|()| at(random.between(100.0, 100.0 + LENGTH)));
        let (target_name, source_name) = (name(target), name(source));
        let found = tree.buffer.lookup_across(&target_name, second, &source_name, first, &name(fixed)).unwrap();
        let relative = |target: usize, source: usize, time: f64| {
            tree.to_root(target, time).inverse().compose(&tree.to_root(source, time))
        };
        let inner = relative(fixed, source, first.as_secs_f64());
        let want = relative(target, fixed, second.as_secs_f64()).compose(&inner);
        let error = want.distance(found.transform.matrix(), found.transform.translation());
        prop_assert!(error < 1e-9, "{error:e}");
    }

    #[test]
    fn the_angles_of_a_transform_give_the_transform(seed: u64) {
        let mut random = Random(seed);
        let angles = [random.between(-3.1, 3.1), random.between(-1.57, 1.57), random.between(-3.1, 3.1)];
        let transform = Transform::from_xyz_rpy([1.0, 2.0, 3.0], angles);
        for (found, want) in transform.rpy().iter().zip(angles) {
            prop_assert!((found - want).abs() < 1e-9, "{:?} {angles:?}", transform.rpy());
        }
        let back = transform.inverse().compose(&transform);
        prop_assert!(IDENTITY.distance(back.matrix(), back.translation()) < 1e-12);
    }
}
