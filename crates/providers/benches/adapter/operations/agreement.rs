use super::{each, making};
use crate::interleaved::Side;
use pqlab_primitives::{Coins, KeyAgreement, KeyAgreementInfo};
use std::sync::Arc;

/// A key agreement and the inputs of its operations, for both sides of a comparison.
pub(crate) struct Inputs {
    pub(crate) agreement: Arc<dyn KeyAgreement>,
    /// The private key's bytes, which are also the coins of a key generation.
    pub(crate) private: Vec<u8>,
    /// The peer's public key.
    pub(crate) peer: Vec<u8>,
}

/// Returns the names of a key agreement's operations.
pub(crate) fn operations(info: &KeyAgreementInfo) -> Vec<String> {
    let mut names = vec!["keygen", "keygen encoded", "agree", "agree encoded"];
    if info.exact_coins {
        names.extend(["keygen coins=exact", "keygen encoded coins=exact"]);
    }
    names.into_iter().map(str::to_owned).collect()
}

impl Inputs {
    pub(crate) fn new(agreement: &Arc<dyn KeyAgreement>) -> Inputs {
        let parameters = &agreement.info().parameters;
        let mut private = vec![0; parameters.private_key];
        let mut peer = vec![0; parameters.public_key];
        agreement.generate_encoded(Coins::Internal, &mut peer, &mut private).expect("a key pair");
        let mut unused = vec![0; parameters.public_key];
        agreement.generate_encoded(Coins::Internal, &mut unused, &mut private).expect("a key pair");
        Inputs { agreement: Arc::clone(agreement), private, peer }
    }

    /// Returns a side that runs the operation through the trait.
    pub(crate) fn through(&self, operation: &str) -> Side {
        let agreement = Arc::clone(&self.agreement);
        let parameters = agreement.info().parameters.clone();
        let (private, peer) = (self.private.clone(), self.peer.clone());
        let mut secret = vec![0; parameters.shared_secret];
        let (mut public_out, mut private_out) = (vec![0; parameters.public_key], vec![0; parameters.private_key]);
        let exact = operation.ends_with("coins=exact");
        match operation {
            "keygen" | "keygen coins=exact" => making(move || {
                let coins = if exact { Coins::Exact(&private) } else { Coins::Internal };
                agreement.generate(coins).expect("a key")
            }),
            "keygen encoded" | "keygen encoded coins=exact" => each(move || {
                let coins = if exact { Coins::Exact(&private) } else { Coins::Internal };
                agreement.generate_encoded(coins, &mut public_out, &mut private_out).expect("a key");
            }),
            "agree" => {
                let key = agreement.load_private_key(&private).expect("a key");
                each(move || key.agree(&peer, &mut secret).expect("a secret"))
            }
            _ => each(move || {
                let key = agreement.load_private_key(&private).expect("a key");
                key.agree(&peer, &mut secret).expect("a secret");
            }),
        }
    }
}
