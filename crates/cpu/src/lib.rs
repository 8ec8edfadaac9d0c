//! Lets users hide CPU features with the [`VARIABLE`] environment variable, to test and measure the code paths for
//! older CPUs on a newer one.
//!
//! Code that detects a CPU feature calls [`is_hidden`] before it queries the CPU. Without the crate feature `std`, no
//! CPU feature is hidden.

#![no_std]

#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "std")]
mod switch;

#[cfg(feature = "std")]
pub use switch::{UnknownFeature, hidden, is_hidden};

/// Environment variable with the [names](Feature::name) of the features to hide, separated by commas.
pub const VARIABLE: &str = "PQLAB_HIDE_CPU_FEATURES";

/// Group of CPU features that can be hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// AVX2, and the extensions that only CPUs with AVX2 offer.
    Avx2,
    /// AVX-512 with all its extensions, and AVX10.
    Avx512,
}

impl Feature {
    /// All features, oldest first. A CPU that lacks a feature also lacks every newer one.
    pub const ALL: &'static [Feature] = &[Feature::Avx2, Feature::Avx512];

    /// Returns the feature's name in the environment variable.
    pub const fn name(self) -> &'static str {
        match self {
            Feature::Avx2 => "avx2",
            Feature::Avx512 => "avx512",
        }
    }

    /// Returns the reason that an unavailable code path reports if this feature is hidden.
    pub const fn hidden_reason(self) -> &'static str {
        match self {
            Feature::Avx2 => "AVX2 is hidden by PQLAB_HIDE_CPU_FEATURES",
            Feature::Avx512 => "AVX-512 is hidden by PQLAB_HIDE_CPU_FEATURES",
        }
    }

    /// Returns whether a flag in `/proc/cpuinfo` belongs to this feature.
    pub fn has_flag(self, flag: &str) -> bool {
        match self {
            Feature::Avx2 => matches!(flag, "avx2" | "avx_ifma" | "sha512" | "vaes" | "vpclmulqdq"),
            Feature::Avx512 => flag.starts_with("avx512") || flag.starts_with("avx10"),
        }
    }
}

/// Returns whether code must not use the feature. Always `false` without the crate feature `std`, because only builds
/// with `std` read the environment variable.
#[cfg(not(feature = "std"))]
pub fn is_hidden(_feature: Feature) -> bool {
    false
}
