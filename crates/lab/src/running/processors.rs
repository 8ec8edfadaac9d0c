//! Chooses the processors for the worker processes of a run.

use super::core_locks::{Claim, Claimed, claim};
use pqlab_harness::affinity::{self, AffinityError};
use pqlab_record::Protocol;

/// Cores for the worker processes. They remain claimed until this value is dropped.
#[derive(Debug, Default)]
pub(crate) struct Place {
    /// Cores to pin the processes to, in turn. If empty, processes run on any core.
    pub(crate) cpus: Vec<u32>,
    /// Reason for not pinning the processes, if the user named no cores and pinning is not possible.
    pub(crate) unpinned: Option<String>,
    /// Description of another pqlab process that measures on the same core; `None` if there is none.
    pub(crate) crowded: Option<String>,
    claims: Vec<Claim>,
}

impl Place {
    /// Chooses and claims the cores. If the user names cores, uses these; the run then fails if a worker cannot be
    /// pinned. Otherwise all processes share one core, because a difference between cores would look like a difference
    /// between processes. That core is the last one on which no other run measures, or the last core if all are taken.
    /// If the system does not allow pinning, processes run on any core.
    pub(crate) fn new(protocol: &Protocol) -> Place {
        let folder = std::env::temp_dir();
        let claim = |core| claim(&folder, core);
        Place::chosen(protocol.affinity.as_deref(), &affinity::allowed(), affinity::can_pin, claim)
    }

    fn chosen(
        named: Option<&[u32]>,
        allowed: &[u32],
        can_pin: impl Fn(&[u32]) -> Result<(), AffinityError>,
        claim: impl Fn(u32) -> Claimed,
    ) -> Place {
        if let Some(named) = named {
            return Place::named(named, claim);
        }
        let last: Vec<u32> = allowed.last().copied().into_iter().collect();
        if let Err(reason) = can_pin(&last) {
            return Place { unpinned: Some(reason.to_string()), ..Place::default() };
        }
        let mut crowded = None;
        for &core in allowed.iter().rev().filter(|&&core| last == [core] || can_pin(&[core]).is_ok()) {
            match claim(core) {
                Claimed::Ours(ours) => return Place { cpus: vec![core], claims: vec![ours], ..Place::default() },
                Claimed::Unknown => return Place { cpus: vec![core], ..Place::default() },
                Claimed::Taken(process) => crowded = crowded.or_else(|| Some(company(core, process))),
            }
        }
        Place { cpus: last, crowded, ..Place::default() }
    }

    fn named(named: &[u32], claim: impl Fn(u32) -> Claimed) -> Place {
        let mut place = Place { cpus: named.to_vec(), ..Place::default() };
        let different = named.iter().enumerate().filter(|(index, core)| !named[..*index].contains(core));
        for (_, &core) in different {
            match claim(core) {
                Claimed::Ours(ours) => place.claims.push(ours),
                Claimed::Taken(process) => place.crowded = place.crowded.or_else(|| Some(company(core, process))),
                Claimed::Unknown => {}
            }
        }
        place
    }

    /// Returns notes for the user: that processes are not pinned, or that another run uses the core.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        let unpinned = self.unpinned.as_ref().map(|reason| {
            format!("worker processes are not pinned to a core ({reason}), so times vary more between visits")
        });
        let crowded = self.crowded.as_ref().map(|company| format!("{company}, so the two runs disturb each other"));
        unpinned.into_iter().chain(crowded)
    }
}

fn company(core: u32, process: Option<u32>) -> String {
    let which = process.map_or_else(String::new, |process| format!(" (process {process})"));
    format!("another pqlab{which} is also measuring on core {core}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(_: u32) -> Claimed {
        Claimed::Unknown
    }

    fn notes(place: &Place) -> Vec<String> {
        place.notes().collect()
    }

    #[test]
    fn runs_that_cannot_be_pinned_continue_with_a_note() {
        let refused = |_: &[u32]| Err(AffinityError::Unsupported);
        let place = Place::chosen(None, &[0, 1], refused, free);
        assert_eq!(
            (place.cpus.as_slice(), place.unpinned.as_deref()),
            ([].as_slice(), Some("threads cannot be pinned on this operating system",))
        );
        assert!(notes(&place).iter().any(|note| note.contains("cannot be pinned")));
        // Keep the user's choice, so that the worker reports the error.
        let named = Place::chosen(Some(&[3]), &[0, 1], refused, free);
        assert_eq!((named.cpus.as_slice(), named.unpinned.as_deref()), ([3].as_slice(), None));
        assert!(notes(&named).is_empty());
    }

    #[test]
    fn all_processes_share_the_last_core_by_default() {
        let place = Place::chosen(None, &[0, 1], |_| Ok(()), free);
        assert_eq!((place.cpus.as_slice(), notes(&place)), ([1].as_slice(), vec![]));
    }

    #[test]
    fn a_second_run_takes_a_free_core_and_a_third_reports_that_none_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let place = |named: Option<&[u32]>| {
            let can_pin = |cpus: &[u32]| if cpus == [2] { Err(AffinityError::Unsupported) } else { Ok(()) };
            Place::chosen(named, &[0, 2, 3], can_pin, |core| claim(folder.path(), core))
        };
        let (first, second, third) = (place(None), place(None), place(None));
        assert_eq!([&first, &second, &third].map(|place| place.cpus.clone()), [[3], [0], [3]], "must skip core 2");
        assert!(notes(&first).is_empty() && notes(&second).is_empty());
        let process = std::process::id();
        let note = format!(
            "another pqlab (process {process}) is also measuring on core 3, so the two runs disturb each \
                            other"
        );
        assert_eq!(notes(&third), std::slice::from_ref(&note));
        for (named, wanted) in [(&[1, 1, 3], vec![note]), (&[1, 1, 1], vec![])] {
            assert_eq!(notes(&place(Some(named))), wanted, "{named:?}");
        }
        drop(first);
        let fourth = place(None);
        assert_eq!((fourth.cpus.as_slice(), notes(&fourth)), ([3].as_slice(), vec![]));
    }
}
