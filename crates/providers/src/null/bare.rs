//! Measures the harness's overhead: calls through the traits that do no work, compared with an empty loop.

use crate::interleaved::Side;
use crate::libraries::Bare;
use crate::operations::{each, kem};
use std::hint::black_box;

pub(crate) const BARE: &[&dyn Bare] = &[&Null];

struct Null;

impl Bare for Null {
    fn library(&self) -> &'static str {
        "null"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &["null"]
    }

    fn kem(&self, inputs: &kem::Inputs, operation: &str) -> Option<Side> {
        let ciphertext = inputs.ciphertext.clone();
        (operation == "decapsulate").then(|| {
            each(move || {
                black_box(&ciphertext);
            })
        })
    }
}
