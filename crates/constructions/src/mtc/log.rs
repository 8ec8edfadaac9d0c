//! A CA's log, and the batches of certificates that it issues.

use super::cosign::{Cosigner, TrustAnchorId, cosign};
use super::entry::{Entry, Proof};
use super::tree::{Digest, Subtree, Tree};
use crate::certificate::CertificateError;
use pqlab_primitives::{Coins, Hash, Result};

/// Hashes of all entries that a CA has certified.
pub struct Log<'a> {
    ca: TrustAnchorId,
    sha256: &'a dyn Hash,
    leaves: Vec<Digest>,
}

/// Batch of certificates.
pub struct Issued {
    /// The two subtrees that cover the batch. The second one may be empty.
    pub trees: [Tree; 2],
    /// Certificates in DER, in the order of the entries.
    pub certificates: Vec<Vec<u8>>,
}

impl<'a> Log<'a> {
    /// Creates an empty log.
    pub fn new(ca: TrustAnchorId, sha256: &'a dyn Hash) -> Log<'a> {
        Log { ca, sha256, leaves: Vec::new() }
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// Returns whether the log contains no entries.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// Appends entries and issues their certificates. With cosigners, the certificates are standalone. Without, they
    /// are landmark-relative.
    ///
    /// # Errors
    /// [`CertificateError::Decode`] if a field is too long. Propagates errors from the libraries.
    pub fn issue(
        &mut self,
        entries: &[Entry],
        cosigners: &[Cosigner],
        coins: Coins,
    ) -> Result<Issued, CertificateError> {
        let first = self.len();
        for entry in entries {
            self.leaves.push(entry.leaf(self.sha256)?);
        }
        let trees = self.cover(first)?;
        let signatures = [self.sign(&trees[0], cosigners, coins)?, self.sign(&trees[1], cosigners, coins)?];
        let mut certificates = Vec::with_capacity(entries.len());
        for (index, entry) in (first as u64..).zip(entries) {
            let side = usize::from(!trees[0].subtree().entries().contains(&index));
            let hashes = trees[side].proof(index).unwrap_or_default();
            let proof = Proof { subtree: trees[side].subtree(), hashes: &hashes, signatures: &signatures[side] };
            certificates.push(entry.certificate(index, &proof)?);
        }
        Ok(Issued { trees, certificates })
    }

    /// Returns the two subtrees that cover the entries from `first`.
    fn cover(&self, first: usize) -> Result<[Tree; 2]> {
        let tree = |subtree: Subtree| {
            let entries = subtree.entries();
            Tree::new(self.sha256, subtree, &self.leaves[entries.start as usize..entries.end as usize])
        };
        let [left, right] = Subtree::covering(first as u64..self.len() as u64);
        Ok([tree(left)?, tree(right)?])
    }

    /// Returns the signatures over a subtree, or no signatures if it is empty.
    fn sign(&self, tree: &Tree, cosigners: &[Cosigner], coins: Coins) -> Result<Vec<u8>, CertificateError> {
        match tree.subtree() {
            subtree if subtree.is_empty() => Ok(Vec::new()),
            subtree => cosign(&self.ca, subtree, tree.root(), cosigners, coins),
        }
    }
}
