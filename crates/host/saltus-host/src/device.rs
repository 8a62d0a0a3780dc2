//! Devices that this process acts for.

use saltus_graph::{DeviceInfo, Entry};
use saltus_memory::{
    counters::DeviceCounters,
    os::{clock::monotonic_now, segment::Mapped},
    records::RecordId,
};
use saltus_types::LinkCounts;

use crate::{endpoint::OpenError, participant::Participant, presence::Presence, registry};

/// A device that this process acts for, and its counts. Tools see it in the reports of the domain. Dropping it removes
/// it.
#[derive(Debug)]
pub struct Device {
    record: RecordId,
    counters: Mapped<DeviceCounters>,
    offset: u64,
    presence: Presence,
}

impl Device {
    /// Sets the counts that tools read, and the time of each loss that is new.
    pub fn set(&self, counts: &LinkCounts) {
        if !self.presence.host.memory.usability.may_use() {
            return;
        }
        let (before, now) = (self.counters.get(), monotonic_now());
        let mut lost_at = before.lost_at;
        for ((at, before), count) in lost_at.iter_mut().zip(before.lost).zip(counts.lost) {
            if count > before {
                *at = now;
            }
        }
        self.counters.set(&LinkCounts { lost_at, ..*counts });
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        let host = &self.presence.host;
        host.withdraw_record(self.record);
        if host.memory.usability.may_release() {
            host.memory.close_device_counters(self.counters.clone(), self.offset);
        }
    }
}

impl Participant {
    /// Shows a device that this process acts for. Its entities have the origin `Origin::Device(name)`. `link` tells how
    /// the process reaches it.
    ///
    /// # Errors
    /// Returns an error if there is no memory for it, or if this context may not be used.
    pub fn device(&self, name: &str, link: &str) -> Result<Device, OpenError> {
        let host = self.host()?;
        let mut state = host.lock();
        let (counters, offset) = host.memory.open_device_counters()?;
        let serial = host.next_serial();
        counters.open(serial);
        let info = DeviceInfo { serial, name: name.into(), link: link.into(), counters: offset };
        let record = registry::add(&host.memory, &Entry::Device(info))
            .inspect_err(|_| host.memory.close_device_counters(counters.clone(), offset))?;
        host.notify(&mut state);
        Ok(Device { record, counters, offset, presence: self.presence().clone() })
    }
}
