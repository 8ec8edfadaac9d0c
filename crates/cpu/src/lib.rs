//! CPU features that the user hides with the environment variable [`VARIABLE`], so that code paths for an older CPU can be
//! tested and measured on this one.
//!
//! Every detection asks [`is_hidden`] before it asks the CPU. Without the feature `std` nothing is hidden.

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
    /// AVX2, and the extensions that no CPU has without it.
    Avx2,
    /// AVX-512 with all its extensions, and AVX10.
    Avx512,
}

impl Feature {
    /// All features, the oldest first. A CPU that lacks one of them has none of those that follow.
    pub const ALL: &'static [Feature] = &[Feature::Avx2, Feature::Avx512];

    /// Returns the word for the feature in the environment variable.
    pub const fn name(self) -> &'static str {
        match self {
            Feature::Avx2 => "avx2",
            Feature::Avx512 => "avx512",
        }
    }

    /// Returns the reason why a code path does not run if the feature is hidden.
    pub const fn hidden_reason(self) -> &'static str {
        match self {
            Feature::Avx2 => "AVX2 is hidden by PQLAB_HIDE_CPU_FEATURES",
            Feature::Avx512 => "AVX-512 is hidden by PQLAB_HIDE_CPU_FEATURES",
        }
    }

    /// Whether a flag of `/proc/cpuinfo` belongs to the feature.
    pub fn has_flag(self, flag: &str) -> bool {
        match self {
            Feature::Avx2 => matches!(flag, "avx2" | "avx_ifma" | "sha512" | "vaes" | "vpclmulqdq"),
            Feature::Avx512 => flag.starts_with("avx512") || flag.starts_with("avx10"),
        }
    }
}

/// Whether code must do without the feature: never, without the environment variable.
#[cfg(not(feature = "std"))]
pub fn is_hidden(_feature: Feature) -> bool {
    false
}
