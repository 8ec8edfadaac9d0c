//! Caveats: facts that a reader must know about figures. Only this module decides which caveats apply to a case and how
//! they are worded. Tables, pages and every export format use it, so that no file omits a caveat.
//!
//! Three caveats are [notes](Caveat::NOTES), which tables show as keywords. Tables express the other caveats with
//! columns and signs: `≈` before estimated cycles, no percentiles if a sample is a batch, the key's form in the name.

use crate::estimates::{Estimates, Imprecision, Placement};
use crate::number::{count, duration, grouped, percent, time};
use indexmap::IndexMap;
use pqlab_record::{Case, Metric, Residue, Unit};

/// Something that a reader must know about a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Caveat {
    /// Too few visits were undisturbed, so the figures include disturbed visits.
    Shared,
    /// The target precision was not reached.
    Imprecise,
    /// A known defect of the library affects the measured operation.
    Defect,
    /// The case became slower or faster during the measurement.
    Drifting,
    /// The call leaves processor state behind.
    Residue,
    /// The figure depends on the encoding in which the private key is loaded or written.
    Encoding,
    /// Each sample covers several operations.
    Batch,
    /// Core cycles are estimated instead of counted, or the ticks are not core cycles.
    Clock,
    /// The spread between runs was not measured on this machine.
    Spread,
}

impl Caveat {
    /// All caveats, in the order in which they are listed.
    pub const ALL: [Caveat; 9] = [
        Caveat::Shared,
        Caveat::Imprecise,
        Caveat::Defect,
        Caveat::Drifting,
        Caveat::Residue,
        Caveat::Encoding,
        Caveat::Batch,
        Caveat::Clock,
        Caveat::Spread,
    ];

    /// Caveats that mark the row of a table.
    pub const NOTES: [Caveat; 3] = [Caveat::Shared, Caveat::Imprecise, Caveat::Defect];

    /// Returns the caveat's keyword in terminals, pages and files.
    pub fn word(self) -> &'static str {
        match self {
            Caveat::Shared => "disturbed",
            Caveat::Imprecise => "imprecise",
            Caveat::Defect => "defect",
            Caveat::Drifting => "drifting",
            Caveat::Residue => "residue",
            Caveat::Encoding => "encoding",
            Caveat::Batch => "batch",
            Caveat::Clock => "clock",
            Caveat::Spread => "spread",
        }
    }

    /// Explains the keyword in general, without reference to a case.
    pub fn legend(self) -> &'static str {
        match self {
            Caveat::Shared => {
                "another program used this core; too few visits were undisturbed, so the figures include disturbed ones"
            }
            Caveat::Imprecise => "did not reach the target precision, which is judged in core cycles if they are known",
            Caveat::Defect => {
                "known defect: the library's result is wrong, or it skips a check that the standard requires"
            }
            Caveat::Drifting => {
                "the case became slower or faster during the measurement, so its median mixes different states"
            }
            Caveat::Residue => "the call leaves processor state behind that can slow the code after it",
            Caveat::Encoding => {
                "the encoding in which the private key is loaded or written; other encodings require different work"
            }
            Caveat::Batch => {
                "each sample is the mean of several operations, so there are no figures for single operations"
            }
            Caveat::Clock => "core cycles were not counted but estimated, or ticks are not core cycles",
            Caveat::Spread => {
                "the intervals include an assumed spread between runs; `pqlab calibrate` measures it on this machine"
            }
        }
    }

    /// Returns whether the caveat marks the row of a table.
    pub fn is_note(self) -> bool {
        Caveat::NOTES.contains(&self)
    }

    /// Returns the caveat's message for a case, or `None` if the caveat does not apply.
    fn describe(self, case: &Case, estimates: Option<&Estimates>) -> Option<String> {
        match self {
            Caveat::Shared => estimates.filter(|of| of.contended).map(|of| shared("", of.shared_pct)),
            Caveat::Imprecise => estimates.filter(|of| !of.imprecise.is_empty()).map(reasons),
            Caveat::Defect => case.facts.defect.clone(),
            Caveat::Drifting => {
                let drift = estimates?.drift.filter(|drift| drift.drifting)?;
                Some(format!("{:+.1}% from the first round to the last", drift.change_pct))
            }
            Caveat::Residue => {
                let residues = estimates?.residues.as_ref().filter(|residues| !residues.is_empty())?;
                Some(format!("the call leaves {} behind", residue_names(residues)))
            }
            Caveat::Encoding => case.key().map(encoding),
            Caveat::Batch => {
                let batch = estimates?.batch;
                (batch > 1).then(|| batched("", batch))
            }
            Caveat::Clock => clock(estimates?),
            Caveat::Spread => {
                let [time_pct, cycles_pct] = estimates?.assumed_spread_pct?;
                Some(format!("assumed spread between runs: {time_pct}% in time, {cycles_pct}% in core cycles"))
            }
        }
    }
}

/// Describes how long another program used the core. `bound` precedes the percentage: empty for a single case, `up to `
/// for several cases.
fn shared(bound: &str, pct: f64) -> String {
    let amount = if pct > 0.0 { format!(" {bound}{} of the time", percent(pct)) } else { String::new() };
    format!("another program used this core{amount}; the figures include disturbed visits")
}

fn batched(bound: &str, batch: u64) -> String {
    format!("each sample is the mean of {bound}{} operations, so there are no percentiles", grouped(batch))
}

fn reasons(estimates: &Estimates) -> String {
    let reasons: Vec<String> = estimates.imprecise.iter().map(|reason| reason_text(*reason, estimates)).collect();
    reasons.join(", ")
}

fn reason_text(reason: Imprecision, estimates: &Estimates) -> String {
    match (reason, estimates.modes, estimates.placement) {
        (Imprecision::TwoModes, Some([low, high]), _) => {
            let ((low_time, low_unit), (high_time, high_unit)) = (duration(low.median), duration(high.median));
            let unit = if low_unit == high_unit { String::new() } else { format!(" {high_unit}") };
            format!(
                "{low_time} {low_unit} in {} of {} processes, {high_time}{unit} in {}",
                low.processes, estimates.processes, high.processes
            )
        }
        (Imprecision::Placement, _, Some(Placement { low, high, unit, cause })) => {
            let range = match unit {
                Unit::CoreCycles => format!("{} to {} cycles", count(low), count(high)),
                Unit::Nanoseconds => format!("{} to {}", time(low), time(high)),
            };
            let cause = cause.text().map_or_else(String::new, |cause| format!("; {cause}"));
            format!("memory placement differs between processes ({range}{cause})")
        }
        _ => reason.words().to_owned(),
    }
}

/// Joins the keywords that files use for kinds of leftover register state. Returns `none` if `residues` is empty.
pub fn residue_names(residues: &[Residue]) -> String {
    if residues.is_empty() {
        return "none".to_owned();
    }
    residues.iter().map(|residue| residue.name()).collect::<Vec<_>>().join(", ")
}

fn encoding(key: &str) -> String {
    match key {
        "seed" => "the private key is loaded or written as its seed".to_owned(),
        "expanded" => "the private key is loaded or written in its expanded form".to_owned(),
        "both" => "the private key is loaded or written as its seed together with its expanded form".to_owned(),
        other => format!("the private key is loaded or written as {other}"),
    }
}

fn clock(estimates: &Estimates) -> Option<String> {
    let texts = [
        (estimates.cycles_are_estimated(), "core cycles are estimated from the time and the core clock"),
        (estimates.metric == Metric::Tsc, "ticks have a constant rate and are not core cycles"),
    ];
    let texts: Vec<&str> = texts.into_iter().filter(|(holds, _)| *holds).map(|(_, text)| text).collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// Caveats of a case, with their messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Caveats {
    entries: Vec<(Caveat, String)>,
    /// Percentage of the time during which another program used the core; 0 without [`Caveat::Shared`].
    shared_pct: f64,
    /// Number of operations per sample; 0 without [`Caveat::Batch`].
    batch: u64,
}

impl Caveats {
    /// Returns the caveats of a case. Without estimates, only caveats about its library and its key apply.
    pub fn new(case: &Case, estimates: Option<&Estimates>) -> Caveats {
        Caveats {
            entries: Caveat::ALL
                .into_iter()
                .filter_map(|caveat| Some((caveat, caveat.describe(case, estimates)?)))
                .collect(),
            shared_pct: estimates.filter(|of| of.contended).map_or(0.0, |of| of.shared_pct),
            batch: estimates.map(|of| of.batch).filter(|batch| *batch > 1).unwrap_or_default(),
        }
    }

    /// Merges the caveats of several cases. If the messages differ, [`Caveat::Shared`] and [`Caveat::Batch`] show the
    /// largest figure; other caveats list every message.
    pub fn merged<'c>(of: impl IntoIterator<Item = &'c Caveats>) -> Caveats {
        let of: Vec<&Caveats> = of.into_iter().collect();
        let shared_pct = of.iter().map(|one| one.shared_pct).fold(0.0, f64::max);
        let batch = of.iter().map(|one| one.batch).max().unwrap_or(0);
        let mut merged: Vec<(Caveat, Vec<&str>)> = Vec::new();
        for (caveat, says) in of.iter().flat_map(|one| one.iter()) {
            match merged.iter_mut().find(|(other, _)| *other == caveat) {
                Some((_, texts)) if texts.contains(&says) => {}
                Some((_, texts)) => texts.push(says),
                None => merged.push((caveat, vec![says])),
            }
        }
        merged.sort_by_key(|(caveat, _)| *caveat);
        let text = |caveat: Caveat, texts: &[&str]| match caveat {
            Caveat::Shared if texts.len() > 1 => shared("up to ", shared_pct),
            Caveat::Batch if texts.len() > 1 => batched("up to ", batch),
            _ => texts.join(", "),
        };
        let entries = merged.iter().map(|(caveat, texts)| (*caveat, text(*caveat, texts))).collect();
        Caveats { entries, shared_pct, batch }
    }

    /// Returns whether `caveat` applies.
    pub fn has(&self, caveat: Caveat) -> bool {
        self.entries.iter().any(|(other, _)| *other == caveat)
    }

    /// Returns each caveat with its message for the case.
    pub fn iter(&self) -> impl Iterator<Item = (Caveat, &str)> {
        self.entries.iter().map(|(caveat, says)| (*caveat, says.as_str()))
    }

    /// Returns the caveats that mark the case's row in a table.
    pub fn notes(&self) -> impl Iterator<Item = (Caveat, &str)> {
        self.iter().filter(|(caveat, _)| caveat.is_note())
    }

    /// Lists the keywords of the [notes](Caveat::NOTES), with the reasons for imprecision: `disturbed; imprecise: few
    /// samples; defect`.
    pub fn notes_text(&self) -> String {
        let text = |(caveat, says): (Caveat, &str)| match caveat {
            Caveat::Imprecise => format!("{}: {says}", caveat.word()),
            _ => caveat.word().to_owned(),
        };
        self.notes().map(text).collect::<Vec<_>>().join("; ")
    }

    /// Lists the keywords of the [notes](Caveat::NOTES): `disturbed, imprecise`.
    pub fn note_words(&self) -> String {
        self.notes().map(|(caveat, _)| caveat.word()).collect::<Vec<_>>().join(", ")
    }

    /// Returns one line per caveat: its keyword and its message.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.iter().map(|(caveat, says)| format!("{}: {says}", caveat.word()))
    }

    /// Joins all caveats into one string, for files with a single field. Empty if there are none.
    pub fn text(&self) -> String {
        self.lines().collect::<Vec<_>>().join("; ")
    }

    /// Maps the caveats' keywords to their messages.
    pub fn by_word(&self) -> IndexMap<String, String> {
        self.iter().map(|(caveat, says)| (caveat.word().to_owned(), says.to_owned())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimates::estimate;
    use crate::fixtures;
    use pqlab_record::{Disturbance, Protocol, Record};

    fn caveats_of(record: &Record, precision_pct: f64) -> Caveats {
        let protocol = Protocol { precision_pct, ..Protocol::default() };
        Caveats::new(&record.case, estimate(record, &protocol).as_ref())
    }

    #[test]
    fn notes_are_words_with_their_reasons() {
        let mut record = fixtures::record("liboqs", 15.2);
        assert_eq!(caveats_of(&record, 1.0).notes_text(), "");
        assert_eq!(caveats_of(&record, 0.01).notes_text(), "imprecise: spread");
        for visit in record.samples.visits.iter_mut().filter(|visit| visit.process >= 5) {
            visit.ticks.iter_mut().for_each(|ticks| *ticks = (*ticks as f64 * 31.9 / 15.2) as u64);
        }
        assert_eq!(caveats_of(&record, 1.0).notes_text(), "imprecise: 15.2 µs in 5 of 8 processes, 32.0 in 3");
        let mut placed = fixtures::record("liboqs", 15.2);
        for visit in &mut placed.samples.visits {
            let factor = 1.0 + 0.03 * visit.process as f64;
            visit.ticks.iter_mut().for_each(|ticks| *ticks = (*ticks as f64 * factor) as u64);
        }
        let text = caveats_of(&placed, 1.0).notes_text();
        assert_eq!(text, "imprecise: memory placement differs between processes (40,960 to 49,880 cycles)");
        record.samples.visits.iter_mut().for_each(|visit| visit.disturbances = vec![Disturbance::Steal { pct: 3.0 }]);
        record.case.facts.defect = Some("accepts invalid signatures".into());
        let found = caveats_of(&record, 1.0);
        assert_eq!(found.notes_text(), "disturbed; imprecise: 15.2 µs in 5 of 8 processes, 32.0 in 3; defect");
        assert_eq!(found.note_words(), "disturbed, imprecise, defect");
        assert_eq!(
            found.by_word()["disturbed"],
            "another program used this core; the figures include disturbed visits"
        );
    }

    #[test]
    fn sound_cases_have_no_caveats_and_doubtful_ones_have_all() {
        let none = fixtures::sound_run();
        for record in none.records.iter() {
            let found = Caveats::new(&record.case, estimate(record, &none.header.protocol).as_ref());
            assert_eq!(found, Caveats::default(), "{}", record.case.id());
            assert_eq!((found.text(), found.notes_text()), (String::new(), String::new()));
        }
        let all = fixtures::doubtful_run();
        for record in all.records.iter() {
            let found = Caveats::new(&record.case, estimate(record, &all.header.protocol).as_ref());
            assert_eq!(found.iter().map(|(caveat, _)| caveat).collect::<Vec<_>>(), Caveat::ALL, "{}", record.case.id());
            assert_eq!(
                found.by_word()["disturbed"],
                "another program used this core 100.0% of the time; the figures include disturbed visits"
            );
            assert_eq!(found.by_word()["imprecise"], "drifting, few samples");
            assert_eq!(found.by_word()["residue"], "the call leaves vector-upper behind");
            assert_eq!(
                found.by_word()["batch"],
                "each sample is the mean of 16 operations, so there are no percentiles"
            );
            assert_eq!(found.by_word()["defect"], fixtures::DEFECT);
        }
    }

    #[test]
    fn merging_lists_the_largest_figures_once() {
        let one = Caveats {
            entries: vec![(Caveat::Batch, batched("", 40)), (Caveat::Defect, "a".into())],
            shared_pct: 0.0,
            batch: 40,
        };
        let two = Caveats {
            entries: vec![
                (Caveat::Shared, shared("", 9.6)),
                (Caveat::Batch, batched("", 6)),
                (Caveat::Defect, "b".into()),
            ],
            shared_pct: 9.6,
            batch: 6,
        };
        let three = Caveats { entries: vec![(Caveat::Shared, shared("", 2.0))], shared_pct: 2.0, batch: 0 };
        let lines: Vec<String> = Caveats::merged([&one, &two]).lines().collect();
        assert_eq!(
            lines,
            [
                "disturbed: another program used this core 9.6% of the time; the figures include disturbed visits",
                "defect: a, b",
                "batch: each sample is the mean of up to 40 operations, so there are no percentiles",
            ]
        );
        let all = Caveats::merged([&Caveats::merged([&one, &two]), &three]);
        assert_eq!(
            all.by_word()["disturbed"],
            "another program used this core up to 9.6% of the time; the figures include disturbed visits"
        );
    }

    #[test]
    fn a_failed_case_keeps_caveats_that_need_no_figures() {
        let mut failed = fixtures::failed("wrong");
        failed.case.facts.defect = Some("accepts invalid signatures".into());
        assert_eq!(caveats_of(&failed, 1.0).text(), "defect: accepts invalid signatures");
    }

    #[test]
    fn each_encoding_of_a_private_key_has_its_text() {
        let mut texts = Vec::new();
        for key in ["seed", "expanded", "both", "scalar"] {
            let mut record = fixtures::failed("wrong");
            record.case = record.case.with_key(key);
            let found = caveats_of(&record, 1.0);
            assert!(found.has(Caveat::Encoding) && !texts.contains(&found.text()), "{key}");
            texts.push(found.text());
        }
    }

    #[test]
    fn words_and_legends_differ() {
        for (index, one) in Caveat::ALL.into_iter().enumerate() {
            assert!(
                Caveat::ALL[..index].iter().all(|other| other.word() != one.word() && other.legend() != one.legend())
            );
        }
    }
}
