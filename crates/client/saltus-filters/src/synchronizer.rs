//! Sets of messages of different types.

use std::{any::Any, collections::VecDeque, fmt, sync::Arc};

use saltus_types::Time;

use crate::{ApproximateTime, ExactTime, LatestTime, Trigger, turns::Turns};

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

    /// Creates the tuple from messages of any type. Returns `None` if a type is wrong or a message is missing.
    fn collect(messages: &mut dyn Iterator<Item = AnyMessage>) -> Option<Self>;

    /// As [`collect`](Self::collect), with clones of the messages.
    fn copy(messages: &mut dyn Iterator<Item = &AnyMessage>) -> Option<Self>;
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

            fn collect(messages: &mut dyn Iterator<Item = AnyMessage>) -> Option<Self> {
                Some(($(*messages.next()?.0.downcast::<$name>().ok()?,)*))
            }

            fn copy(messages: &mut dyn Iterator<Item = &AnyMessage>) -> Option<Self> {
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
/// The function may pass messages to its own synchronizer. It is called for their sets after it has returned.
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
pub struct Synchronizer<I>(Arc<Turns<Sets<I>, Callback<I>>>);

type Callback<I> = Box<dyn FnMut(I) + Send>;

/// The messages of a synchronizer.
struct Sets<I> {
    filter: Box<dyn Filter<I>>,
    /// The sets for which the function was not called yet.
    ready: VecDeque<I>,
    /// Messages of sets that were ready and were dropped.
    dropped: u64,
}

/// A filter that makes sets of messages of different types.
trait Filter<I>: Send {
    /// Adds a message of an input. Adds the sets that it completes to `ready`.
    fn add(&mut self, input: usize, stamp: Time, message: AnyMessage, ready: &mut VecDeque<I>);

    fn dropped(&self) -> u64;

    fn clear(&mut self);
}

impl<I: Inputs> Filter<I> for ExactTime<AnyMessage> {
    fn add(&mut self, input: usize, stamp: Time, message: AnyMessage, ready: &mut VecDeque<I>) {
        let set = self.add(input, stamp, message);
        ready.extend(set.and_then(|set| I::collect(&mut set.into_iter())));
    }

    fn dropped(&self) -> u64 {
        self.dropped()
    }

    fn clear(&mut self) {
        self.clear();
    }
}

impl<I: Inputs> Filter<I> for ApproximateTime<AnyMessage> {
    fn add(&mut self, input: usize, stamp: Time, message: AnyMessage, ready: &mut VecDeque<I>) {
        self.add(input, stamp, message, |set| ready.extend(I::collect(&mut set.into_iter())));
    }

    fn dropped(&self) -> u64 {
        self.dropped()
    }

    fn clear(&mut self) {
        self.clear();
    }
}

impl<I: Inputs> Filter<I> for LatestTime<AnyMessage> {
    fn add(&mut self, input: usize, now: Time, message: AnyMessage, ready: &mut VecDeque<I>) {
        let set = self.add(input, now, message);
        ready.extend(set.and_then(|mut set| I::copy(&mut set)));
    }

    fn dropped(&self) -> u64 {
        0
    }

    fn clear(&mut self) {
        self.clear();
    }
}

impl<I: Inputs> Filter<I> for Trigger<AnyMessage> {
    fn add(&mut self, input: usize, _: Time, message: AnyMessage, ready: &mut VecDeque<I>) {
        let set = self.add(input, message);
        ready.extend(set.and_then(|mut set| I::copy(&mut set)));
    }

    fn dropped(&self) -> u64 {
        self.overwritten()
    }

    fn clear(&mut self) {
        self.clear();
    }
}

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

impl<I: Inputs + Send + 'static> Synchronizer<I> {
    /// Returns a synchronizer for messages with equal stamps.
    ///
    /// # Panics
    ///
    /// Panics if the filter has another number of inputs than the tuple.
    pub fn exact(filter: ExactTime<AnyMessage>, callback: impl FnMut(I) + Send + 'static) -> Self {
        Self::new(filter.inputs(), filter, callback)
    }

    /// Returns a synchronizer for messages with similar stamps.
    ///
    /// # Panics
    ///
    /// Panics if the filter has another number of inputs than the tuple.
    pub fn approximate(
        filter: ApproximateTime<AnyMessage>,
        callback: impl FnMut(I) + Send + 'static,
    ) -> Self {
        Self::new(filter.inputs(), filter, callback)
    }

    /// Returns a synchronizer for the latest messages, at the rate of the fastest input. The time that is given with a
    /// message must be the time at which it came.
    ///
    /// # Panics
    ///
    /// Panics if the filter has another number of inputs than the tuple.
    pub fn latest(filter: LatestTime<AnyMessage>, callback: impl FnMut(I) + Send + 'static) -> Self {
        Self::new(filter.inputs(), filter, callback)
    }

    /// Returns a synchronizer for the latest messages, by a trigger rule. Stamps are not used.
    ///
    /// # Panics
    ///
    /// Panics if the trigger has another number of inputs than the tuple.
    pub fn trigger(trigger: Trigger<AnyMessage>, callback: impl FnMut(I) + Send + 'static) -> Self {
        Self::new(trigger.inputs(), trigger, callback)
    }

    fn new(
        inputs: usize,
        filter: impl Filter<I> + 'static,
        callback: impl FnMut(I) + Send + 'static,
    ) -> Self {
        assert_eq!(inputs, I::COUNT, "the filter must have as many inputs as the tuple has messages");
        let sets = Sets { filter: Box::new(filter), ready: VecDeque::new(), dropped: 0 };
        Self(Arc::new(Turns::new(sets, Box::new(callback))))
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
            let stamp = stamp(&message);
            let add = |sets: &mut Sets<I>| {
                sets.filter.add(INDEX, stamp, AnyMessage::new(message), &mut sets.ready);
            };
            synchronizer.0.take(add, |sets| sets.ready.pop_front());
        }
    }

    /// Returns the number of messages that were dropped or replaced by later ones, because they are in no set. With
    /// [`latest`](Self::latest), messages are replaced all the time, and are not counted.
    pub fn dropped(&self) -> u64 {
        self.0.with(|sets| sets.filter.dropped() + sets.dropped)
    }

    /// Drops all messages that wait, for example after the clock has gone back.
    pub fn clear(&self) {
        self.0.with(|sets| {
            sets.filter.clear();
            sets.dropped += (sets.ready.len() * I::COUNT) as u64;
            sets.ready.clear();
        });
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{Mutex, mpsc},
        thread,
    };

    use saltus_types::lock;

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
    fn the_function_may_add_messages() {
        let (sender, sets) = mpsc::channel();
        let inputs = Arc::new(Mutex::new(None));
        let own = inputs.clone();
        let pairs = Synchronizer::<(i64, i64)>::exact(ExactTime::new(2, 10), move |set| {
            sender.send(set).unwrap();
            if set.0 < 3
                && let Some((left, right)) = &mut *lock(&own)
            {
                let (left, right): (&mut Add, &mut Add) = (left, right);
                left(set.0 + 1);
                right(set.0 + 1);
            }
        });
        type Add = Box<dyn FnMut(i64) + Send>;
        let add: (Add, Add) = (Box::new(pairs.input::<0>(stamp)), Box::new(pairs.input::<1>(stamp)));
        *lock(&inputs) = Some(add);
        let (mut left, mut right) = (pairs.input::<0>(stamp), pairs.input::<1>(stamp));
        left(1);
        right(1);
        assert_eq!(sets.try_iter().collect::<Vec<_>>(), [(1, 1), (2, 2), (3, 3)]);
    }

    #[test]
    fn other_threads_wait_while_the_function_runs() {
        let (entered, runs) = mpsc::channel();
        let (go_on, may_end) = mpsc::channel::<()>();
        let pairs = Synchronizer::<(i64, i64)>::exact(ExactTime::new(2, 10), move |set| {
            entered.send(set).unwrap();
            may_end.recv().unwrap();
        });
        let (mut left, mut right) = (pairs.input::<0>(stamp), pairs.input::<1>(stamp));
        left(1);
        let first = thread::spawn(move || right(1));
        assert_eq!(runs.recv().unwrap(), (1, 1));
        let mut right = pairs.input::<1>(stamp);
        let second = thread::spawn(move || {
            left(2);
            right(2);
        });
        go_on.send(()).unwrap();
        first.join().unwrap();
        assert_eq!(runs.recv().unwrap(), (2, 2));
        go_on.send(()).unwrap();
        second.join().unwrap();
    }

    #[test]
    fn the_function_is_called_again_after_a_panic() {
        let (sender, sets) = mpsc::channel();
        let pairs = Synchronizer::<(i64, i64)>::exact(ExactTime::new(2, 10), move |set| {
            assert_ne!(set.0, 1, "as planned");
            sender.send(set).unwrap();
        });
        let (mut left, mut right) = (pairs.input::<0>(stamp), pairs.input::<1>(stamp));
        left(1);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| right(1))).unwrap_err();
        left(2);
        right(2);
        assert_eq!(sets.try_iter().collect::<Vec<_>>(), [(2, 2)]);
    }

    #[test]
    fn messages_in_no_set_are_counted_and_can_be_cleared() {
        let pairs = Synchronizer::<(i64, i64)>::exact(ExactTime::new(2, 1), drop);
        let mut left = pairs.input::<0>(stamp);
        left(1);
        left(2);
        assert_eq!(pairs.dropped(), 1);
        pairs.clear();
        assert_eq!(pairs.dropped(), 2);
    }

    #[test]
    #[should_panic = "as many inputs"]
    fn the_numbers_of_inputs_must_be_equal() {
        let _ = Synchronizer::<(i64, i64)>::exact(ExactTime::new(3, 10), drop);
    }
}
