use super::{each, making};
use crate::interleaved::Side;
use pqlab_primitives::{Coins, KeyAgreement};
use std::sync::Arc;

/// A key agreement and the inputs for its operations. Both sides of a comparison use the same inputs.
pub(crate) struct Inputs {
    pub(crate) agreement: Arc<dyn KeyAgreement>,
    /// The encoded private key.
    pub(crate) private: Vec<u8>,
    /// The peer's encoded public key.
    pub(crate) peer: Vec<u8>,
}

/// Returns the names of the operations to compare for a key agreement.
pub(crate) fn operations() -> Vec<String> {
    ["keygen", "keygen encoded", "agree", "agree encoded"].map(str::to_owned).into()
}

impl Inputs {
    pub(crate) fn new(agreement: &Arc<dyn KeyAgreement>) -> Inputs {
        let parameters = &agreement.info().parameters;
        let mut private = vec![0; parameters.private_key];
        let mut peer = vec![0; parameters.public_key];
        agreement.generate_encoded(Coins::Internal, &mut peer, &mut private).expect("keygen failed");
        let mut unused = vec![0; parameters.public_key];
        agreement.generate_encoded(Coins::Internal, &mut unused, &mut private).expect("keygen failed");
        Inputs { agreement: Arc::clone(agreement), private, peer }
    }

    /// Returns the side that runs the operation through the trait.
    pub(crate) fn through(&self, operation: &str) -> Side {
        let agreement = Arc::clone(&self.agreement);
        let parameters = agreement.info().parameters.clone();
        let (private, peer) = (self.private.clone(), self.peer.clone());
        let mut secret = vec![0; parameters.shared_secret];
        let (mut public_out, mut private_out) = (vec![0; parameters.public_key], vec![0; parameters.private_key]);
        match operation {
            "keygen" => making(move || agreement.generate(Coins::Internal).expect("keygen failed")),
            "keygen encoded" => each(move || {
                agreement.generate_encoded(Coins::Internal, &mut public_out, &mut private_out).expect("keygen failed");
            }),
            "agree" => {
                let key = agreement.load_private_key(&private).expect("cannot load the key");
                each(move || key.agree(&peer, &mut secret).expect("key agreement failed"))
            }
            _ => each(move || {
                let key = agreement.load_private_key(&private).expect("cannot load the key");
                key.agree(&peer, &mut secret).expect("key agreement failed");
            }),
        }
    }
}
