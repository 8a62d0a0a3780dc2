//! Objects whose parts refer back to them.

use std::{
    fmt,
    sync::{Arc, OnceLock, Weak},
};

/// A weak reference to an object that is being created, for the parts of the object.
///
/// It refers to nothing until the object has been created. See [`try_new_cyclic`].
#[doc(hidden)]
pub struct WeakSelf<T>(Arc<OnceLock<Weak<T>>>);

impl<T> WeakSelf<T> {
    /// Returns the object, or `None` if it has not been created yet or was dropped.
    pub fn upgrade(&self) -> Option<Arc<T>> {
        self.0.get()?.upgrade()
    }
}

impl<T> Clone for WeakSelf<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> fmt::Debug for WeakSelf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(WeakSelf)")
    }
}

/// Creates an object whose parts refer back to it, such as a timer whose callback uses the object.
///
/// It is like [`Arc::new_cyclic`], but `create` may fail. `create` opens the parts, and gives each of them a clone of the
/// [`WeakSelf`]. Another thread may call a part before the object has been created: then the part must do nothing.
///
/// ```
/// # use saltus_types as types;
/// # type Callback = Box<dyn Fn() -> Option<u32> + Send + Sync>;
/// # fn open_timer(callback: Callback) -> Result<Callback, std::io::Error> { Ok(callback) }
/// use types::{WeakSelf, try_new_cyclic};
///
/// struct Counter {
///     count: u32,
///     timer: Callback,
/// }
///
/// let counter = try_new_cyclic(|counter: &WeakSelf<Counter>| {
///     let weak = counter.clone();
///     let timer = open_timer(Box::new(move || Some(weak.upgrade()?.count)))?;
///     Ok::<_, std::io::Error>(Counter { count: 7, timer })
/// })?;
/// assert_eq!((counter.timer)(), Some(7));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// Returns the error of `create`.
#[doc(hidden)]
pub fn try_new_cyclic<T, E>(create: impl FnOnce(&WeakSelf<T>) -> Result<T, E>) -> Result<Arc<T>, E> {
    let weak = WeakSelf(Arc::default());
    let object = Arc::new(create(&weak)?);
    // Nothing else sets it, so this succeeds.
    let _ = weak.0.set(Arc::downgrade(&object));
    Ok(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Node {
        itself: WeakSelf<Node>,
        number: u32,
    }

    #[test]
    fn a_part_finds_the_object_until_it_is_dropped() {
        let node = try_new_cyclic(|node| {
            assert!(node.upgrade().is_none(), "the object does not exist yet");
            Ok::<_, ()>(Node { itself: node.clone(), number: 7 })
        })
        .unwrap();
        let weak = node.itself.clone();
        assert_eq!(weak.upgrade().map(|node| node.number), Some(7));
        drop(node);
        assert!(weak.upgrade().is_none());
    }

    #[test]
    fn an_error_leaves_no_object() {
        let mut kept = None;
        let failed: Result<Arc<Node>, &str> = try_new_cyclic(|node| {
            kept = Some(node.clone());
            Err("no memory")
        });
        assert_eq!(failed.err(), Some("no memory"));
        assert!(kept.unwrap().upgrade().is_none());
    }
}
