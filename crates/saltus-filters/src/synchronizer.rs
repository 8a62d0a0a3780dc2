//! Sets of messages of different types.

use std::{
    any::Any,
    fmt,
    sync::{Arc, Mutex},
};

use saltus_types::{Time, lock};

use crate::{ApproximateTime, ExactTime, LatestTime, Trigger};

/// A message of any type, in a filter of a [`Synchronizer`].
pub struct AnyMessage(Box<dyn Any + Send>);

impl AnyMessage {
    fn new(message: impl Any + Send) -> Self {
        Self(Box::new(message))
    }
}

impl fmt::Debug for AnyMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyMessage").finish_non_exhaustive()
    }
}

/// A tuple of messages, one of each input. It is implemented for tuples of up to nine messages.
pub trait Inputs: Sized {
    /// The number of inputs.
    const COUNT: usize;

    /// Makes the tuple of messages of any type. Returns `None` if a type is wrong or a message is missing.
    fn collect(messages: &mut dyn Iterator<Item = &AnyMessage>) -> Option<Self>;
}

/// An input of a tuple of messages.
pub trait Input<const INDEX: usize>: Inputs {
    /// The type of the message.
    type Message: Clone + Send + 'static;
}

macro_rules! inputs {
    ($count:literal: $($index:literal $name:ident)*) => {
        impl<$($name: Clone + Send + 'static),*> Inputs for ($($name,)*) {
            const COUNT: usize = $count;

            fn collect(messages: &mut dyn Iterator<Item = &AnyMessage>) -> Option<Self> {
                Some(($(messages.next()?.0.downcast_ref::<$name>()?.clone(),)*))
            }
        }

        inputs!(@each [$($name)*] $($index $name)*);
    };
    (@each $all:tt $($index:literal $name:ident)*) => {
        $(inputs!(@one $all $index $name);)*
    };
    (@one [$($all:ident)*] $index:literal $name:ident) => {
        impl<$($all: Clone + Send + 'static),*> Input<$index> for ($($all,)*) {
            type Message = $name;
        }
    };
}

inputs!(2: 0 A 1 B);
inputs!(3: 0 A 1 B 2 C);
inputs!(4: 0 A 1 B 2 C 3 D);
inputs!(5: 0 A 1 B 2 C 3 D 4 E);
inputs!(6: 0 A 1 B 2 C 3 D 4 E 5 F);
inputs!(7: 0 A 1 B 2 C 3 D 4 E 5 F 6 G);
inputs!(8: 0 A 1 B 2 C 3 D 4 E 5 F 6 G 7 H);
inputs!(9: 0 A 1 B 2 C 3 D 4 E 5 F 6 G 7 H 8 I);

/// Calls a function with sets of messages of different types, one of each input.
///
/// Messages are kept as they are given. With `Received` messages, they stay in the shared memory of their publishers.
/// The function must not pass a message to its own synchronizer.
///
/// ```no_run
/// use saltus::{filters::{ApproximateTime, Synchronizer}, msgs::sensor_msgs::msg::{CameraInfo, Image}, topic::Received};
/// # fn f(node: &saltus::Node) -> Result<(), saltus::node::NodeError> {
/// type Pair = (Received<Image>, Received<CameraInfo>);
/// let pairs = Synchronizer::<Pair>::approximate(ApproximateTime::new(2, 10), |(image, info)| {
///     println!("{:?} and {:?}", image.stamp(), info.stamp());
/// });
/// let _images = node.subscription("image").received(pairs.input::<0>(Received::stamp))?;
/// let _infos = node.subscription("camera_info").received(pairs.input::<1>(Received::stamp))?;
/// # Ok(())
/// # }
/// ```
pub struct Synchronizer<I>(Arc<Mutex<Shared<I>>>);

struct Shared<I> {
    add: Box<Add<I>>,
    callback: Box<dyn FnMut(I) + Send>,
}

/// Adds a message of an input to a filter, and passes the sets on.
type Add<I> = dyn FnMut(usize, Time, AnyMessage, &mut dyn FnMut(I)) + Send;

impl<I> Clone for Synchronizer<I> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<I> fmt::Debug for Synchronizer<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Synchronizer").finish_non_exhaustive()
    }
}

impl<I: Inputs + 'static> Synchronizer<I> {
    /// Returns a synchronizer for messages with equal stamps.
    ///
    /// # Panics
    ///
    /// Panics if the filter has another number of inputs than the tuple.
    pub fn exact(mut filter: ExactTime<AnyMessage>, callback: impl FnMut(I) + Send + 'static) -> Self {
        let inputs = filter.inputs();
        let add = move |input, stamp, message, output: &mut dyn FnMut(I)| {
            let set = filter.add(input, stamp, message);
            set.and_then(|set| I::collect(&mut set.iter())).into_iter().for_each(output);
        };
        Self::new(inputs, add, callback)
    }

    /// Returns a synchronizer for messages with similar stamps.
    ///
    /// # Panics
    ///
    /// Panics if the filter has another number of inputs than the tuple.
    pub fn approximate(
        mut filter: ApproximateTime<AnyMessage>,
        callback: impl FnMut(I) + Send + 'static,
    ) -> Self {
        let inputs = filter.inputs();
        let add = move |input, stamp, message, output: &mut dyn FnMut(I)| {
            filter.add(input, stamp, message, |set| {
                I::collect(&mut set.iter()).into_iter().for_each(&mut *output);
            });
        };
        Self::new(inputs, add, callback)
    }

    /// Returns a synchronizer for the latest messages, at the rate of the fastest input. The time that is given with a
    /// message must be the time at which it came.
    ///
    /// # Panics
    ///
    /// Panics if the filter has another number of inputs than the tuple.
    pub fn latest(mut filter: LatestTime<AnyMessage>, callback: impl FnMut(I) + Send + 'static) -> Self {
        let inputs = filter.inputs();
        let add = move |input, now, message, output: &mut dyn FnMut(I)| {
            let set = filter.add(input, now, message);
            set.and_then(|mut set| I::collect(&mut set)).into_iter().for_each(output);
        };
        Self::new(inputs, add, callback)
    }

    /// Returns a synchronizer for the latest messages, by a trigger rule. Stamps are not used.
    ///
    /// # Panics
    ///
    /// Panics if the trigger has another number of inputs than the tuple.
    pub fn trigger(mut trigger: Trigger<AnyMessage>, callback: impl FnMut(I) + Send + 'static) -> Self {
        let inputs = trigger.inputs();
        let add = move |input, _: Time, message, output: &mut dyn FnMut(I)| {
            let set = trigger.add(input, message);
            set.and_then(|mut set| I::collect(&mut set)).into_iter().for_each(output);
        };
        Self::new(inputs, add, callback)
    }

    fn new(
        inputs: usize,
        add: impl FnMut(usize, Time, AnyMessage, &mut dyn FnMut(I)) + Send + 'static,
        callback: impl FnMut(I) + Send + 'static,
    ) -> Self {
        assert_eq!(inputs, I::COUNT, "the filter must have as many inputs as the tuple has messages");
        Self(Arc::new(Mutex::new(Shared { add: Box::new(add), callback: Box::new(callback) })))
    }

    /// Returns a function that adds messages of an input, for a subscription. `stamp` returns the stamp of a message.
    pub fn input<const INDEX: usize>(
        &self,
        stamp: impl Fn(&I::Message) -> Time + Send + 'static,
    ) -> impl FnMut(I::Message) + Send + 'static
    where
        I: Input<INDEX>,
    {
        let synchronizer = self.clone();
        move |message| {
            let shared = &mut *lock(&synchronizer.0);
            (shared.add)(INDEX, stamp(&message), AnyMessage::new(message), &mut shared.callback);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::{RateConfig, TriggerRule};

    fn stamp(nanos: &i64) -> Time {
        Time::from_nanos(*nanos)
    }

    fn no_stamp(_: &&str) -> Time {
        Time::default()
    }

    #[test]
    fn sets_have_messages_of_different_types() {
        let (sender, sets) = mpsc::channel();
        let filter = ExactTime::new(3, 10);
        let all = Synchronizer::<(i64, i64, i64)>::exact(filter, move |set| sender.send(set).unwrap());
        let (mut a, mut b, mut c) = (all.input::<0>(stamp), all.input::<1>(stamp), all.input::<2>(stamp));
        a(1);
        b(1);
        b(2);
        c(1);
        assert_eq!(sets.try_iter().collect::<Vec<_>>(), [(1, 1, 1)]);
    }

    #[test]
    fn similar_stamps_are_a_set() {
        let (sender, sets) = mpsc::channel();
        let filter = ApproximateTime::new(2, 10);
        let pairs = Synchronizer::<(i64, i64)>::approximate(filter, move |set| sender.send(set).unwrap());
        let (mut left, mut right) = (pairs.input::<0>(stamp), pairs.input::<1>(stamp));
        left(0);
        right(1);
        left(10);
        assert_eq!(sets.try_iter().collect::<Vec<_>>(), [(0, 1)]);
    }

    #[test]
    fn a_trigger_gives_the_latest_messages() {
        let (sender, sets) = mpsc::channel();
        let trigger = Trigger::new(2, TriggerRule::Input(1));
        let both = Synchronizer::<(&str, i64)>::trigger(trigger, move |set| sender.send(set).unwrap());
        let (mut text, mut number) = (both.input::<0>(no_stamp), both.input::<1>(stamp));
        text("a");
        number(1);
        number(2);
        assert_eq!(sets.try_iter().collect::<Vec<_>>(), [("a", 1), ("a", 2)]);
    }

    #[test]
    fn the_latest_messages_come_at_the_rate_of_the_fastest_input() {
        let (sender, sets) = mpsc::channel();
        let filter = LatestTime::new([RateConfig::default(); 2]);
        let both = Synchronizer::<(i64, i64)>::latest(filter, move |set| sender.send(set).unwrap());
        let (mut fast, mut slow) = (both.input::<0>(stamp), both.input::<1>(stamp));
        fast(1);
        slow(2);
        fast(3);
        assert_eq!(sets.try_iter().collect::<Vec<_>>(), [(3, 2)]);
    }

    #[test]
    #[should_panic = "as many inputs"]
    fn the_numbers_of_inputs_must_be_equal() {
        let _ = Synchronizer::<(i64, i64)>::exact(ExactTime::new(3, 10), drop);
    }
}
