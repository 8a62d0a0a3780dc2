//! Tests of the chunks of a publisher.

use std::sync::Arc;

use super::*;

/// The holder of all messages.
const HOLDER: u32 = 0;

/// A pool with messages that wait, all of which a subscription holds.
struct Scene {
    segment: Arc<Segment>,
    arena: Arena,
    pool: ChunkPool,
    held: Holders,
}

impl Scene {
    fn with_waiting(count: usize) -> Self {
        let segment = Arc::new(Segment::anonymous());
        let arena = Arena::new(segment.clone());
        let mut held = Holders::default();
        held.insert(HOLDER);
        let mut scene = Self { segment, arena, pool: ChunkPool::new(false), held };
        scene.pool.assign_holder(HOLDER, 1);
        for _ in 0..count {
            let index = scene.allocated();
            scene.send(index);
        }
        scene
    }

    fn allocated(&mut self) -> ChunkIndex {
        let block = self.arena.allocate(block_len(8)).unwrap();
        self.pool.add(block, &self.segment).unwrap()
    }

    fn send(&mut self, index: ChunkIndex) {
        let metadata =
            Metadata { len: 8, source_time: Time::from_nanos(0), sent_at: 0, gid: Gid::default(), cpu: 0 };
        self.pool.write_header(index, &self.held, 0, &metadata);
    }

    fn release(&self, index: ChunkIndex) {
        self.pool.chunk(index).header().release(HOLDER);
    }
}

/// Each call that finds nothing has checked a limited number of chunks.
#[test]
fn few_chunks_are_checked_for_a_message_although_many_are_held() {
    let mut scene = Scene::with_waiting(1000);
    scene.release(500);
    let calls = (1..).find(|_| scene.pool.acquire(8).is_some()).unwrap();
    assert!((2..=1000 / CHECKED + 1).contains(&calls), "{calls}");
    scene.release(700);
    assert_eq!(scene.pool.acquire_any(8), Some(700));
}

#[test]
fn chunks_that_are_released_out_of_order_are_used_again() {
    let mut scene = Scene::with_waiting(100);
    for _ in 0..10_000 {
        let index = scene.pool.acquire(8).unwrap_or_else(|| scene.allocated());
        scene.send(index);
        scene.release(index);
    }
    assert!(scene.pool.chunks.len() <= 120, "{}", scene.pool.chunks.len());
}
