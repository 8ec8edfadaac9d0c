//! ML-KEM (FIPS 203) for crates that have a module with types and functions for each parameter set.

use pqlab_primitives::{
    CoinSupport, Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KemParameters, KeyEncoding, Result,
};
use std::marker::PhantomData;
use std::sync::Arc;

/// Length of the seed `d || z` in bytes.
const SEED: usize = 64;

pub(crate) const NO_SUCH_ENCODING: Error =
    Error::Unsupported("ML-KEM keys must be encoded as a seed or in expanded form");

/// A parameter set on a code path of a crate.
pub(crate) trait ParameterSet: Send + Sync + 'static {
    const ALGORITHM: &'static str;
    /// Encodings from which a decapsulation key can be loaded. The crate's native encoding comes first.
    const ENCODINGS: [KeyEncoding; 2];
    /// Encodings in which a generated key can be written.
    const WRITTEN: &'static [KeyEncoding] = &Self::ENCODINGS;

    /// A decapsulation key that was generated from fresh coins or from a seed.
    type Generated: DecapsulationKey + 'static;
    /// A decapsulation key that was loaded from the expanded encoding.
    type Loaded: DecapsulationKey + 'static;
    /// A loaded encapsulation key.
    type Encapsulation: EncapsulationKey + 'static;

    /// Generates a key pair (FIPS 203, algorithm 19). The coins are `d || z`.
    fn generate(coins: Coins) -> Result<Self::Generated>;
    /// Generates a key pair and writes it to the caller's buffers. The decapsulation key is written in the first
    /// encoding in [`Self::ENCODINGS`].
    fn generate_encoded(coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()>;
    /// Loads an expanded decapsulation key and performs the checks in FIPS 203, section 7.3.
    fn load_expanded(bytes: &[u8]) -> Result<Self::Loaded>;
    /// Loads an encapsulation key and performs the checks in FIPS 203, section 7.2.
    fn load_encapsulation_key(bytes: &[u8]) -> Result<Self::Encapsulation>;
}

/// Returns the KEM for a parameter set.
pub(crate) fn ml_kem<S: ParameterSet>() -> Arc<dyn Kem> {
    let info = KemInfo {
        parameters: KemParameters::find(S::ALGORITHM).expect("missing from the parameter table"),
        encodings: S::ENCODINGS.to_vec(),
        coins: CoinSupport { keygen: true, operation: true },
    };
    Arc::new(MlKem::<S> { info, set: PhantomData })
}

struct MlKem<S> {
    info: KemInfo,
    set: PhantomData<S>,
}

impl<S: ParameterSet> Kem for MlKem<S> {
    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn written(&self) -> &[KeyEncoding] {
        S::WRITTEN
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        S::generate_encoded(coins, encapsulation_key, decapsulation_key)
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Ok(Box::new(S::generate(coins)?))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(S::load_encapsulation_key(bytes)?))
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        match encoding {
            KeyEncoding::Seed => {
                Error::check_length("decapsulation key", SEED, bytes.len())?;
                self.generate(Coins::Exact(bytes))
            }
            KeyEncoding::Expanded => Ok(Box::new(S::load_expanded(bytes)?)),
            _ => Err(NO_SUCH_ENCODING),
        }
    }
}
