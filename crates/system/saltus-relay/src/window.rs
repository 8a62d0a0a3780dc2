//! The requests that were forwarded.

use std::collections::{HashSet, VecDeque};

/// The most numbers that are remembered. It is more than a client may have in flight.
const REMEMBERED: usize = 4096;

/// The numbers of a client's last requests.
///
/// **Invariant:** both collections have the same numbers, at most 4,096.
///
/// ```
/// # use saltus_relay::Window;
/// let mut window = Window::default();
/// assert!(window.insert(7));
/// assert!(!window.insert(7), "it was there");
/// ```
#[derive(Debug, Default)]
pub struct Window {
    known: HashSet<u64>,
    order: VecDeque<u64>,
}

impl Window {
    /// Adds a number. Returns whether it was not there.
    pub fn insert(&mut self, number: u64) -> bool {
        let is_new = self.known.insert(number);
        if is_new {
            self.order.push_back(number);
            if self.order.len() > REMEMBERED
                && let Some(oldest) = self.order.pop_front()
            {
                self.known.remove(&oldest);
            }
        }
        is_new
    }

    /// Removes a number, because its request was not sent.
    pub fn remove(&mut self, number: u64) {
        if self.known.remove(&number) {
            self.order.retain(|known| *known != number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_any_order_are_new_once() {
        let mut window = Window::default();
        assert!([2, 1, 3].into_iter().all(|number| window.insert(number)));
        assert!(![3, 2, 1].into_iter().any(|number| window.insert(number)));
    }

    #[test]
    fn the_oldest_numbers_are_forgotten() {
        let mut window = Window::default();
        assert!((0..=REMEMBERED as u64).all(|number| window.insert(number)));
        assert!(window.insert(0) && !window.insert(2));
        assert_eq!((window.known.len(), window.order.len()), (REMEMBERED, REMEMBERED));
    }

    #[test]
    fn a_request_that_was_not_sent_may_be_sent_again() {
        let mut window = Window::default();
        window.insert(1);
        window.remove(1);
        assert!(window.insert(1));
    }
}
