//! Trials that issue certificates: a batch of Merkle Tree Certificates, or one X.509 certificate.

use super::authority::{Authority, Key, LEAF_NAME};
use super::trust::{Cosigners, entry, verify};
use super::{NOW, Source, broken, cosigner_id};
use pqlab_constructions::mtc::{Entry, Issued, Log};
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{Coins, Hash};
use std::sync::Arc;

fn nothing() -> Fault {
    Fault::WrongAnswer("no certificate was issued".into())
}

/// Issues batches of Merkle Tree Certificates, each in a new log. Entries are encoded in advance.
pub(super) struct IssueBatch {
    sha256: Arc<dyn Hash>,
    cosigners: Cosigners,
    /// Number of cosigners that sign.
    signing: usize,
    entries: Vec<Entry>,
    issued: Option<Issued>,
    /// Place of the next certificate to check.
    checked: usize,
}

impl IssueBatch {
    /// Prepares batches of `batch` certificates for one public key.
    pub(super) fn new(source: &Source, batch: usize) -> Result<IssueBatch, Fault> {
        let key = Key::generate(source.scheme.as_ref())?;
        Ok(IssueBatch {
            sha256: Arc::clone(source.sha256),
            cosigners: Cosigners::generate(source)?,
            signing: source.cosigners,
            entries: (0..batch).map(|number| entry(&key, number)).collect::<Result<_, _>>()?,
            issued: None,
            checked: 0,
        })
    }
}

impl Trial for IssueBatch {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.issued = None;
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let mut log = Log::new(cosigner_id(0), self.sha256.as_ref());
            let issued = log.issue(&self.entries, &self.cosigners.take(self.signing), Coins::Internal);
            self.issued = Some(issued.map_err(broken)?);
        }
        Ok(())
    }

    /// Checks the first and the last certificate, and a different one each time.
    fn verify(&mut self) -> Result<(), Fault> {
        let Issued { trees, certificates } = self.issued.as_ref().ok_or_else(nothing)?;
        let landmarks: Vec<_> = trees.iter().map(|tree| (tree.subtree(), *tree.root())).collect();
        let store = self.cosigners.store(if self.signing == 0 { &landmarks } else { &[] })?;
        if certificates.is_empty() || certificates.len() != self.entries.len() {
            return Err(Fault::WrongAnswer("the batch has a wrong number of certificates".into()));
        }
        self.checked = (self.checked + 1) % certificates.len();
        for index in [0, self.checked, certificates.len() - 1] {
            let found = verify(&store, &certificates[index], NOW)?;
            if (found.entry_index, found.satisfied_cosigners.len()) != (index as u64, self.signing) {
                return Err(Fault::WrongAnswer(format!("certificate {index} has a wrong index or signatures")));
            }
        }
        let mut changed = certificates[self.checked].clone();
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        match verify(&store, &changed, NOW) {
            Err(_) => Ok(()),
            Ok(_) => Err(Fault::WrongAnswer("verification accepts a certificate with a bit flipped".into())),
        }
    }
}

/// Issues one X.509 certificate at a time.
pub(super) struct IssueOne {
    authority: Authority,
    serial_number: u32,
    issued: Option<Vec<u8>>,
}

impl IssueOne {
    pub(super) fn new(authority: Authority) -> IssueOne {
        IssueOne { authority, serial_number: 0, issued: None }
    }
}

impl Trial for IssueOne {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.issued = None;
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.serial_number = self.serial_number.wrapping_add(1);
            self.issued = Some(self.authority.leaf(self.serial_number)?);
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let leaf = self.issued.as_ref().ok_or_else(nothing)?;
        let verify = |leaf: &[u8]| self.authority.verify(&[leaf, self.authority.intermediate()], LEAF_NAME, NOW);
        verify(leaf)?;
        match verify(&leaf[..leaf.len() - 1]) {
            Err(_) => Ok(()),
            Ok(()) => Err(Fault::WrongAnswer("verification accepts a certificate without its last byte".into())),
        }
    }
}
