//! Executors: threads that wait for nodes and run their callbacks.
//!
//! An executor has one doorbell. A message, request, response or event for one of its nodes rings the doorbell. While
//! the executor is awake, a ring costs no system call. The [`WaitStrategy`] of an executor defines how it waits. Its
//! [`Placement`] defines on which CPUs and with which priority its threads run.
//!
//! | module | content |
//! |---|---|
//! | `handle` | the nodes and callback groups of an executor, and its cancellation; used from any thread |
//! | `listed` | the nodes and callback groups as they were last listed, with their waitables |
//! | `entries` | all waitables of an executor, by their doorbell classes |
//! | `future` | futures that an executor polls while it runs callbacks |
//! | `executor` | the trait of all executors |
//! | `timers` | the timers of an executor, by their deadlines |
//! | `limit` | how long a pass may last |
//! | `single` | the single-threaded executor |
//! | `steps` | passes of it that end early |
//! | `ready` | the entries of a multi-threaded executor that may have something to do |
//! | `pool`, `multi` | the multi-threaded executor and its threads |
//! | `admission` | whether threads can be placed, before they run |
//! | `placements` | the placements of threads, read from a file |

mod admission;
mod entries;
mod executor;
mod future;
mod handle;
mod limit;
mod listed;
mod multi;
mod placements;
mod pool;
#[cfg(all(test, model))]
mod pool_model;
mod ready;
mod single;
mod steps;
mod sync;
mod timers;

pub use admission::AdmissionError;
pub use executor::{Executor, SpinError};
pub use handle::ExecutorHandle;
pub use multi::MultiThreadedExecutor;
pub use placements::{Placements, PlacementsError};
pub use saltus_node::{Placement, SchedulingPolicy, WaitStrategy};
pub use saltus_yaml::FileError;
pub use single::{FdHandle, Interest, SingleThreadedExecutor};
