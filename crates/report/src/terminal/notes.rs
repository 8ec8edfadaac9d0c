use crate::estimates::{Estimates, Imprecision};
use crate::number::duration;
use pqlab_record::Record;

/// What must be known when a figure is read. Each is said in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Note {
    /// Somebody used the core so much that too few visits were left alone.
    Shared,
    /// The wanted precision was not reached.
    Imprecise,
    /// A known defect of the library concerns what was measured.
    Defect,
}

impl Note {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Note; 3] = [Note::Shared, Note::Imprecise, Note::Defect];

    /// Those of a case.
    pub fn of(record: &Record, estimates: &Estimates) -> Vec<Note> {
        let holds = |note: &Note| match note {
            Note::Shared => estimates.contended,
            Note::Imprecise => !estimates.imprecise.is_empty(),
            Note::Defect => record.case.facts.defect.is_some(),
        };
        Note::ALL.into_iter().filter(holds).collect()
    }

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Note::Shared => "shared",
            Note::Imprecise => "imprecise",
            Note::Defect => "defect",
        }
    }

    /// The word, with its reason where it has several: `imprecise: 15.2 µs in 5 of 8 processes, 31.9 in 3`.
    pub fn text(self, estimates: &Estimates) -> String {
        if self != Note::Imprecise {
            return self.word().to_owned();
        }
        let reasons: Vec<String> = estimates.imprecise.iter().map(|reason| reason_text(*reason, estimates)).collect();
        format!("{}: {}", self.word(), reasons.join(", "))
    }

    /// What it says.
    pub fn legend(self) -> &'static str {
        match self {
            Note::Shared => "somebody used the core; too few visits were left alone, so the figures count all visits",
            Note::Imprecise => "the target precision was not reached in the time given",
            Note::Defect => "known defect: the library does not do all that the standard demands here",
        }
    }
}

fn reason_text(reason: Imprecision, estimates: &Estimates) -> String {
    let modes = estimates.modes.filter(|_| reason == Imprecision::TwoModes);
    modes.map_or_else(
        || reason.words().to_owned(),
        |[low, high]| {
            let ((low_time, low_unit), (high_time, high_unit)) = (duration(low.median), duration(high.median));
            let unit = if low_unit == high_unit { String::new() } else { format!(" {high_unit}") };
            format!(
                "{low_time} {low_unit} in {} of {} processes, {high_time}{unit} in {}",
                low.processes, estimates.processes, high.processes
            )
        },
    )
}

/// The notes of a case in one text, empty where there is nothing to say.
pub fn notes_text(record: &Record, estimates: &Estimates) -> String {
    Note::of(record, estimates).into_iter().map(|note| note.text(estimates)).collect::<Vec<_>>().join("; ")
}

/// The words of the notes of a case, without reasons.
pub(super) fn note_words(record: &Record, estimates: &Estimates) -> String {
    Note::of(record, estimates).into_iter().map(Note::word).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimates::estimate;
    use crate::fixtures;
    use pqlab_record::{Disturbance, Protocol};

    #[test]
    fn notes_are_words_with_their_reasons() {
        let mut record = fixtures::record("liboqs", 15.2);
        let text = |record: &Record, precision_pct: f64| {
            let protocol = Protocol { precision_pct, ..Protocol::default() };
            notes_text(record, &estimate(record, &protocol).unwrap())
        };
        assert_eq!(text(&record, 1.0), "");
        assert_eq!(text(&record, 0.01), "imprecise: spread");
        for visit in record.samples.visits.iter_mut().filter(|visit| visit.process >= 5) {
            visit.ticks.iter_mut().for_each(|ticks| *ticks = (*ticks as f64 * 31.9 / 15.2) as u64);
        }
        assert_eq!(text(&record, 1.0), "imprecise: 15.2 µs in 5 of 8 processes, 32.0 in 3");
        record.samples.visits.iter_mut().for_each(|visit| visit.disturbances = vec![Disturbance::Steal { pct: 3.0 }]);
        record.case.facts.defect = Some("accepts what it must refuse".into());
        assert_eq!(text(&record, 1.0), "shared; imprecise: 15.2 µs in 5 of 8 processes, 32.0 in 3; defect");
        let estimates = estimate(&record, &Protocol::default()).unwrap();
        assert_eq!(note_words(&record, &estimates), "shared, imprecise, defect");
    }
}
