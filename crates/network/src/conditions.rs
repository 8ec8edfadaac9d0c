//! Parameters of an emulated link.

use std::time::Duration;

/// Conditions of a link, the same in both directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// Round-trip time of a small packet while the queues are empty.
    pub round_trip: Duration,
    /// Bandwidth for IP packets in each direction, in bit/s. `None` means unlimited.
    pub rate: Option<u64>,
    /// Probability from 0 to 1 that the link loses a packet, independently for each packet and direction.
    pub loss: f64,
    /// Maximum length of an IP packet in bytes.
    pub mtu: u16,
}

/// Conditions of a typical link, with a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// Name of the profile.
    pub name: &'static str,
    /// Kind of link that the profile models.
    pub about: &'static str,
    /// Conditions of the link.
    pub conditions: Conditions,
}

/// Error for conditions that are out of range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what} is {value}, but must be between {least} and {most}")]
pub struct InvalidConditions {
    what: &'static str,
    value: f64,
    least: f64,
    most: f64,
}

const fn profile(name: &'static str, about: &'static str, round_trip_us: u64, megabits: u64, loss: f64) -> Profile {
    let round_trip = Duration::from_micros(round_trip_us);
    Profile { name, about, conditions: Conditions { round_trip, rate: Some(megabits * 1_000_000), loss, mtu: 1500 } }
}

impl Conditions {
    /// Profiles of typical links. The values are round numbers within the range of published measurements, and do not
    /// describe any particular link.
    pub const PROFILES: [Profile; 5] = [
        profile("datacenter", "two machines in one data centre", 500, 1000, 0.0),
        profile("broadband", "a home broadband line", 20_000, 100, 0.0),
        profile("mobile", "a phone on a 4G network", 60_000, 20, 0.001),
        profile("satellite", "a geostationary satellite", 600_000, 10, 0.005),
        profile("lossy-wifi", "a wireless network at the edge of its range", 30_000, 20, 0.02),
    ];

    /// Returns the profile with this name.
    pub fn named(name: &str) -> Option<Profile> {
        Conditions::PROFILES.into_iter().find(|profile| profile.name == name)
    }

    /// Checks that every value is in range.
    ///
    /// - Round trip: at most 10 s.
    /// - Rate: from 1 kbit/s to 100 Gbit/s, or unlimited.
    /// - Loss: from 0 to 1.
    /// - MTU: from 576 (RFC 791) to 65,535 bytes.
    ///
    /// # Errors
    /// [`InvalidConditions`] with the first value that is out of range.
    pub fn check(&self) -> Result<(), InvalidConditions> {
        let within = |what, value: f64, least: f64, most: f64| {
            if value >= least && value <= most { Ok(()) } else { Err(InvalidConditions { what, value, least, most }) }
        };
        within("round trip in ms", self.round_trip.as_secs_f64() * 1e3, 0.0, 10_000.0)?;
        if let Some(rate) = self.rate {
            within("rate in Mbit/s", rate as f64 / 1e6, 0.001, 100_000.0)?;
        }
        within("loss in percent", self.loss * 100.0, 0.0, 100.0)?;
        within("MTU in bytes", f64::from(self.mtu), 576.0, 65_535.0)
    }

    /// Returns the maximum number of bytes queued in each direction: as many as the link carries in two round trips,
    /// but at least 64 packets of maximum length. RFC 3439 suggests one round trip. Returns `u64::MAX` if the rate is
    /// unlimited.
    pub fn queue(&self) -> u64 {
        let least = 64 * u64::from(self.mtu);
        let bytes = |rate: u64| (rate as f64 / 8.0 * self.round_trip.as_secs_f64() * 2.0) as u64;
        self.rate.map_or(u64::MAX, |rate| bytes(rate).max(least))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_valid_and_have_unique_names() {
        for (index, profile) in Conditions::PROFILES.iter().enumerate() {
            assert_eq!(profile.conditions.check(), Ok(()));
            assert_eq!(Conditions::named(profile.name), Some(*profile));
            assert!(Conditions::PROFILES[..index].iter().all(|other| other.name != profile.name));
        }
        assert_eq!(Conditions::named("moon"), None);
    }

    #[test]
    fn rejects_invalid_conditions_by_name() {
        let good = Conditions::PROFILES[1].conditions;
        let refused = |conditions: Conditions| conditions.check().unwrap_err().to_string();
        let loss = refused(Conditions { loss: 1.01, ..good });
        assert!(loss.starts_with("loss in percent is 101, but must be between 0 and 100"), "{loss}");
        assert!(refused(Conditions { loss: f64::NAN, ..good }).starts_with("loss in percent is NaN"));
        assert!(refused(Conditions { mtu: 100, ..good }).starts_with("MTU"));
        assert!(refused(Conditions { rate: Some(0), ..good }).starts_with("rate"));
        assert!(refused(Conditions { round_trip: Duration::from_secs(11), ..good }).starts_with("round trip"));
    }

    #[test]
    fn queue_holds_two_round_trips() {
        let broadband = Conditions::named("broadband").unwrap().conditions;
        assert_eq!(broadband.queue(), 100_000_000 / 8 / 50 * 2);
        assert_eq!(Conditions { rate: Some(1_000_000), ..broadband }.queue(), 64 * 1500);
        assert_eq!(Conditions { rate: None, ..broadband }.queue(), u64::MAX);
    }
}
