//! Model of one direction of a link: computes whether and when a packet arrives.

use crate::Conditions;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Packet counts for one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// Packets delivered.
    pub packets: u64,
    /// Total length of the delivered packets in bytes, including IP headers.
    pub bytes: u64,
    /// Packets lost on the link.
    pub lost: u64,
    /// Packets dropped because the queue was full.
    pub overflowed: u64,
}

/// One direction of a link: a finite queue followed by a line with constant rate and delay.
#[derive(Debug)]
pub struct Link {
    delay_ns: u64,
    /// Rate in bit/s.
    rate: Option<u64>,
    queue: u64,
    /// Threshold for losses: a packet is lost if a random 32-bit number is below this value.
    lost_below: u64,
    generator: ChaCha8Rng,
    /// Time when the queue will be empty, in ns.
    free_at: u64,
    carried: Carried,
}

impl Link {
    /// Creates one direction of a link. `seed` determines which packets are lost.
    pub fn new(conditions: &Conditions, seed: u64) -> Link {
        Link {
            delay_ns: u64::try_from(conditions.round_trip.as_nanos() / 2).unwrap_or(u64::MAX),
            rate: conditions.rate.filter(|rate| *rate > 0),
            queue: conditions.queue(),
            lost_below: (conditions.loss.clamp(0.0, 1.0) * 4_294_967_296.0) as u64,
            generator: ChaCha8Rng::seed_from_u64(seed),
            free_at: 0,
            carried: Carried::default(),
        }
    }

    /// Returns the time at which a packet sent at `now` arrives at the other end. Returns `None` if the packet is lost
    /// or the queue is full. Both times are in ns on the same clock. Pass packets in the order of sending; they also
    /// arrive in that order.
    pub fn arrival(&mut self, now: u64, bytes: usize) -> Option<u64> {
        let begins = self.free_at.max(now);
        if self.waiting(begins - now) + bytes as u64 > self.queue {
            self.carried.overflowed += 1;
            return None;
        }
        // A lost packet still takes time on the line.
        self.free_at = begins.saturating_add(self.time_on_line(bytes as u64));
        if u64::from(self.generator.next_u32()) < self.lost_below {
            self.carried.lost += 1;
            return None;
        }
        self.carried.packets += 1;
        self.carried.bytes += bytes as u64;
        Some(self.free_at.saturating_add(self.delay_ns))
    }

    /// Returns the packet counts so far.
    pub fn carried(&self) -> Carried {
        self.carried
    }

    /// Returns the time in ns to transmit `bytes` bytes, or 0 if the rate is unlimited.
    fn time_on_line(&self, bytes: u64) -> u64 {
        self.rate.map_or(0, |rate| (u128::from(bytes) * 8_000_000_000 / u128::from(rate)) as u64)
    }

    /// Returns the number of bytes that leave the queue in `ns` nanoseconds, or 0 if the rate is unlimited.
    fn waiting(&self, ns: u64) -> u64 {
        self.rate.map_or(0, |rate| (u128::from(ns) * u128::from(rate) / 8_000_000_000) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const MS: u64 = 1_000_000;

    fn conditions(rate: Option<u64>, loss: f64) -> Conditions {
        Conditions { round_trip: Duration::from_millis(100), rate, loss, mtu: 1500 }
    }

    #[test]
    fn packets_take_half_a_round_trip_and_their_time_on_the_line() {
        assert_eq!(Link::new(&conditions(None, 0.0), 1).arrival(7, 1500), Some(7 + 50 * MS));
        // At 12 Mbit/s, 1,500 bytes occupy the line for 1 ms, so the second packet waits for the
        // first.
        let mut link = Link::new(&conditions(Some(12_000_000), 0.0), 1);
        assert_eq!(link.arrival(0, 1500), Some(51 * MS));
        assert_eq!(link.arrival(0, 1500), Some(52 * MS));
        assert_eq!(link.arrival(5 * MS, 750), Some(55 * MS + MS / 2));
        assert_eq!(link.carried(), Carried { packets: 3, bytes: 3750, lost: 0, overflowed: 0 });
    }

    #[test]
    fn drops_packets_while_the_queue_is_full() {
        // At 1 Mbit/s, 64 packets of 1,500 bytes take 768 ms, longer than two round trips, so the
        // queue holds 64 packets.
        let mut link = Link::new(&conditions(Some(1_000_000), 0.0), 1);
        let arrived = (0..100).filter(|_| link.arrival(0, 1500).is_some()).count();
        assert_eq!((arrived, link.carried().overflowed), (64, 36));
        assert!(link.arrival(11 * MS, 1500).is_none());
        assert!(link.arrival(13 * MS, 1500).is_some());
    }

    #[test]
    fn loses_the_requested_fraction_reproducibly() {
        let lost = |seed, loss| {
            let mut link = Link::new(&conditions(None, loss), seed);
            (0..100_000).map(|at| link.arrival(at, 100).is_none()).collect::<Vec<_>>()
        };
        let count = |lost: &[bool]| lost.iter().filter(|lost| **lost).count();
        // Expected: 1,000 of 100,000 packets, with a standard deviation of 31.
        let one = lost(1, 0.01);
        assert!((850..1150).contains(&count(&one)), "{}", count(&one));
        assert_eq!(one, lost(1, 0.01));
        assert_ne!(one, lost(2, 0.01));
        assert_eq!([count(&lost(3, 0.0)), count(&lost(3, 1.0))], [0, 100_000]);
    }
}
