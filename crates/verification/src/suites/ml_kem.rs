use super::{Ran, Run, Suite, is_ml_kem};
use crate::checks::kem::{
    ExpectedKey, decapsulation, decapsulation_key_check, encapsulation, encapsulation_key_check, key_generation,
};
use crate::checks::{ENCAPSULATION, KEY_GENERATION};
use crate::read::ml_kem::{self as read, Function};
use crate::tally::Tally;
use crate::vectors::Vectors;
use pqlab_primitives::{Kem, KeyEncoding};

pub(super) static SUITES: &[Suite] = &[
    Suite::published("ACVP ML-KEM keyGen", is_ml_kem, Run::Kem(acvp_keygen)),
    Suite::published("ACVP ML-KEM encapDecap", is_ml_kem, Run::Kem(encap_decap)),
    Suite::published("CCTV ML-KEM intermediate", is_ml_kem, Run::Kem(intermediate)),
];

fn acvp_keygen(kem: &dyn Kem, vectors: &Vectors, tally: &mut Tally) -> Ran {
    let file = vectors.file("acvp/ML-KEM-keyGen-FIPS203/internalProjection.json.gz", read::key_generation)?;
    for vector in file.iter().filter(|vector| vector.set == kem.info().parameters.algorithm) {
        let decapsulation_keys =
            [(KeyEncoding::Seed, vector.seed.as_slice()), (KeyEncoding::Expanded, vector.decapsulation_key.as_slice())];
        let key = ExpectedKey { encapsulation_key: &vector.encapsulation_key, decapsulation_keys: &decapsulation_keys };
        tally.answer(KEY_GENERATION, vector.id, || key_generation(kem, &vector.seed, &key));
    }
    Ok(())
}

fn encap_decap(kem: &dyn Kem, vectors: &Vectors, tally: &mut Tally) -> Ran {
    let file = vectors.file("acvp/ML-KEM-encapDecap-FIPS203/internalProjection.json.gz", read::encap_decap)?;
    for vector in file.iter().filter(|vector| vector.set == kem.info().parameters.algorithm) {
        if let Function::Encapsulation { key, coins, ciphertext, secret } = &vector.function {
            tally.answer(ENCAPSULATION, vector.id, || encapsulation(kem, key, coins, ciphertext, secret));
            continue;
        }
        tally.check(vector.id, || match &vector.function {
            Function::Encapsulation { .. } => Ok(()),
            Function::Decapsulation { key, ciphertext, secret } => {
                decapsulation(kem, (KeyEncoding::Expanded, key), ciphertext, secret)
            }
            Function::EncapsulationKeyCheck { key, valid } => encapsulation_key_check(kem, key, *valid),
            Function::DecapsulationKeyCheck { key, valid } => decapsulation_key_check(kem, key, *valid),
        });
    }
    Ok(())
}

/// Checks encapsulation and decapsulation, but not key generation, because these files contain keys from the draft. The
/// draft hashed only `d`, whereas FIPS 203 hashes `d || k` (algorithm 13, line 1). The final standard did not change
/// the encoding of keys.
fn intermediate(kem: &dyn Kem, vectors: &Vectors, tally: &mut Tally) -> Ran {
    let name = format!("cctv/ML-KEM/intermediate/{}.txt", kem.info().parameters.algorithm);
    let vector = vectors.file(&name, read::intermediate)?;
    tally.unsupported("the vectors use the key generation of a draft of FIPS 203");
    tally.answer(ENCAPSULATION, "encapsulate", || {
        encapsulation(kem, &vector.encapsulation_key, &vector.coins, &vector.ciphertext, &vector.secret)
    });
    tally.check("decapsulate", || {
        decapsulation(kem, (KeyEncoding::Expanded, &vector.decapsulation_key), &vector.ciphertext, &vector.secret)
    });
    Ok(())
}
