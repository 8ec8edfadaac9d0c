//! Parameter sets (FIPS 204, table 1).

/// Values that define a parameter set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameters {
    /// `k`: rows of the matrix, and number of polynomials in `t1`, the hint and the commitment.
    pub(crate) rows: usize,
    /// `l`: columns of the matrix, and number of polynomials in `z`.
    pub(crate) columns: usize,
    /// Number of nonzero coefficients in the challenge.
    pub(crate) tau: usize,
    /// Bits per coefficient of the encoded `z`. `gamma1` is `2^(z_bits - 1)`.
    pub(crate) z_bits: usize,
    pub(crate) gamma2: Gamma2,
    /// `beta`: `tau` times `eta`. In a valid signature, every coefficient of `z` is less than `gamma1 - beta` in
    /// magnitude.
    pub(crate) beta: i32,
    /// Maximum number of ones in the hint.
    pub(crate) omega: usize,
    /// Length in bytes of the challenge in a signature: `lambda / 4` (FIPS 204, table 1).
    pub(crate) challenge: usize,
}

/// Range of a coefficient's low part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gamma2 {
    /// `(q - 1) / 88`: high parts are less than 44 and take 6 bits.
    Q88,
    /// `(q - 1) / 32`: high parts are less than 16 and take 4 bits.
    Q32,
}

/// Maximum number of rows in any parameter set.
pub(crate) const MOST_ROWS: usize = 8;

/// Maximum number of columns in any parameter set.
pub(crate) const MOST_COLUMNS: usize = 7;

impl Parameters {
    pub(crate) const fn gamma1(&self) -> i32 {
        1 << (self.z_bits - 1)
    }

    /// Returns the length in bytes of an encoded verifying key: `rho`, then `t1` at 10 bits per coefficient.
    pub(crate) const fn key(&self) -> usize {
        32 + 320 * self.rows
    }

    /// Returns the length in bytes of an encoded `z`.
    pub(crate) const fn z(&self) -> usize {
        32 * self.z_bits * self.columns
    }

    /// Returns the length in bytes of an encoded signature: challenge, `z`, hint.
    pub(crate) const fn signature(&self) -> usize {
        self.challenge + self.z() + self.omega + self.rows
    }

    /// Returns the length in bytes of one encoded polynomial of the commitment.
    pub(crate) const fn commitment(&self) -> usize {
        match self.gamma2 {
            Gamma2::Q88 => 192,
            Gamma2::Q32 => 128,
        }
    }
}

mod sealed {
    pub trait Sealed {
        #[doc(hidden)]
        const SET: super::Set;
    }
}
pub(crate) use sealed::Sealed;

/// Parameters of a parameter set. Opaque outside this crate.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Set(pub(crate) Parameters);

/// One of the three parameter sets.
pub trait ParameterSet: Sealed + Copy + Send + Sync + 'static {
    /// Name in the standard.
    const NAME: &'static str;
    /// Length in bytes of an encoded verifying key.
    const KEY: usize = Self::SET.0.key();
    /// Length in bytes of a signature.
    const SIGNATURE: usize = Self::SET.0.signature();
}

macro_rules! sets {
    ($($(#[$about:meta])* $name:ident $standard:literal $parameters:expr;)*) => { $(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {}

        impl Sealed for $name {
            const SET: Set = Set($parameters);
        }

        impl ParameterSet for $name {
            const NAME: &'static str = $standard;
        }
    )* };
}

sets! {
    /// ML-DSA-44, security category 2.
    MlDsa44 "ML-DSA-44" Parameters {
        rows: 4, columns: 4, tau: 39, z_bits: 18, gamma2: Gamma2::Q88, beta: 78, omega: 80, challenge: 32,
    };
    /// ML-DSA-65, security category 3.
    MlDsa65 "ML-DSA-65" Parameters {
        rows: 6, columns: 5, tau: 49, z_bits: 20, gamma2: Gamma2::Q32, beta: 196, omega: 55, challenge: 48,
    };
    /// ML-DSA-87, security category 5.
    MlDsa87 "ML-DSA-87" Parameters {
        rows: 8, columns: 7, tau: 60, z_bits: 20, gamma2: Gamma2::Q32, beta: 120, omega: 75, challenge: 64,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_match_the_standard() {
        let lengths = |set: Parameters| (set.key(), set.signature());
        assert_eq!(lengths(MlDsa44::SET.0), (1312, 2420));
        assert_eq!(lengths(MlDsa65::SET.0), (1952, 3309));
        assert_eq!(lengths(MlDsa87::SET.0), (2592, 4627));
    }
}
