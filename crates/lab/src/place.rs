//! On which processors the processes of a run are kept.

use pqlab_harness::affinity::{self, AffinityError};
use pqlab_record::Protocol;

/// Where worker processes are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// The cores to pin them to, in turn; empty for any.
    pub(crate) cpus: Vec<u32>,
    /// Why they are pinned to none, although the user named none.
    pub(crate) unpinned: Option<String>,
}

impl Place {
    /// The cores that the user named, whatever comes of it: a worker that cannot be pinned to them ends the run. Else one core
    /// for all processes, because what differs between cores would pass for a difference between processes; and any, where the
    /// system lets nobody pin.
    pub(crate) fn of(protocol: &Protocol) -> Place {
        Place::chosen(protocol.affinity.as_deref(), &affinity::allowed(), affinity::can_pin)
    }

    fn chosen(named: Option<&[u32]>, allowed: &[u32], can_pin: impl Fn(&[u32]) -> Result<(), AffinityError>) -> Place {
        if let Some(named) = named {
            return Place { cpus: named.to_vec(), unpinned: None };
        }
        let cpus: Vec<u32> = allowed.last().copied().into_iter().collect();
        match can_pin(&cpus) {
            Ok(()) => Place { cpus, unpinned: None },
            Err(reason) => Place { cpus: Vec::new(), unpinned: Some(reason.to_string()) },
        }
    }

    /// What the user is told of it.
    pub(crate) fn note(&self) -> Option<String> {
        let reason = self.unpinned.as_ref()?;
        Some(format!("measuring on any core, since none can be kept: {reason}; times vary more from visit to visit"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nobody_can_pin_the_run_goes_on_and_says_so() {
        let refused = |_: &[u32]| Err(AffinityError::Unsupported);
        let place = Place::chosen(None, &[0, 1], refused);
        assert_eq!(
            (place.cpus.as_slice(), place.unpinned.as_deref()),
            ([].as_slice(), Some("threads cannot be pinned on this operating system",))
        );
        assert!(place.note().is_some_and(|note| note.contains("cannot be pinned")));
        // What the user asked for is not dropped in silence: the worker refuses.
        let named = Place::chosen(Some(&[3]), &[0, 1], refused);
        assert_eq!(named, Place { cpus: vec![3], unpinned: None });
        assert_eq!(named.note(), None);
    }

    #[test]
    fn else_all_processes_are_on_the_last_core() {
        let place = Place::chosen(None, &[0, 1], |_| Ok(()));
        assert_eq!((place.cpus.as_slice(), place.note()), ([1].as_slice(), None));
    }
}
