mod identity;

use self::identity::identity;
use super::columns::{Cell, lines};
use super::histogram::histogram;
use super::line::failure;
use super::palette::{Palette, TextStyle};
use super::text::hanging;
use pqlab_analysis::caveats::{Caveat, residue_names};
use pqlab_analysis::environment::environment_line;
use pqlab_analysis::estimates::{AttemptsEstimate, Estimates};
use pqlab_analysis::number::{
    count, digits, duration, duration_digits, frequency, grouped, known_count, percent, rate_within, significant,
    throughput_within, time_within,
};
use pqlab_analysis::series::SeriesComparison;
use pqlab_analysis::text::neutral;
use pqlab_analysis::trust::case_sentence;
use pqlab_analysis::{CaseAnalysis, Disturbances};
use pqlab_record::{Protocol, SecondChance, Sizes, Statistic};
use pqlab_stats::{Interval, Mode};

/// Maximum number of processes for which medians are listed. A case that measures first calls has one process per
/// sample.
const MOST_PROCESSES: usize = 32;

/// Shows one case in full: identity, provider, figures, comparison with the same operation by other libraries
/// (`others`), processes, histogram, lengths, disturbances, environment.
pub fn show_case(case: &CaseAnalysis<'_>, others: &[&CaseAnalysis<'_>], width: usize, palette: Palette) -> String {
    let mut page = Page { out: String::new(), width, palette };
    let id = palette.paint(TextStyle::Strong, &neutral(&case.case().id()));
    page.out.push_str(&format!("{id}\n"));
    page.pairs(&identity(case));
    match &case.estimates {
        None => page.out.push_str(&format!("\n{}\n", failure(case.record, palette))),
        Some(estimates) => {
            figures(&mut page, case, estimates);
            against(&mut page, case, others);
            processes(&mut page, estimates);
            samples(&mut page, case, estimates);
            signature_lengths(&mut page, case, estimates);
            extra(&mut page, estimates);
        }
    }
    lengths(&mut page, &case.case().facts.sizes);
    disturbances(&mut page, &case.disturbances);
    let environment = environment_line(&case.header().environment);
    page.out.push_str(&format!("\n{}\n", palette.paint(TextStyle::Faint, &environment)));
    page.out.push_str(&format!("\n{}\n", neutral(&case_sentence(case))));
    page.out
}

/// Text written so far, and its layout.
struct Page {
    out: String,
    width: usize,
    palette: Palette,
}

impl Page {
    fn heading(&mut self, text: &str) {
        self.out.push_str(&format!("\n{}\n", self.palette.paint(TextStyle::Strong, text)));
    }

    fn lines(&mut self, lines: &[String]) {
        lines.iter().for_each(|line| self.out.push_str(&format!("{line}\n")));
    }

    /// Writes pairs of name and value. Values are never truncated.
    fn pairs(&mut self, pairs: &[(&str, String)]) {
        let cells = |(name, value): &(&str, String)| vec![Cell::left(&format!("  {name}")), Cell::left(value)];
        let rows: Vec<Vec<Cell>> = pairs.iter().map(cells).collect();
        let column = 4 + pairs.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let whole = lines(&rows, usize::MAX, self.palette);
        self.lines(&whole.iter().map(|line| hanging(line, column, self.width)).collect::<Vec<_>>());
    }

    fn table(&mut self, rows: &[Vec<Cell>]) {
        self.lines(&lines(rows, self.width, self.palette));
    }
}

/// Describes the cost of the first attempt and of each further attempt. Also gives the percentage of samples that show
/// their number of attempts.
fn by_attempt(attempts: &AttemptsEstimate) -> [(&'static str, String); 3] {
    let cycles = attempts.cycles_by_attempt();
    let cost = |at: usize| {
        let (number, unit) = duration(attempts.ns_by_attempt()[at]);
        let cycles = cycles.map_or(String::new(), |cycles| format!(", {} core cycles", digits(cycles[at], 4)));
        format!("{number} {unit}{cycles}")
    };
    let readable = percent(100.0 * attempts.read.comb.readable);
    [
        ("first attempt", cost(0)),
        ("each further", cost(1)),
        ("readable", format!("{readable} of the samples show their number of attempts")),
    ]
}

/// Compares the means of the cases in `others` with the mean of this case.
fn against(page: &mut Page, case: &CaseAnalysis<'_>, others: &[&CaseAnalysis<'_>]) {
    let compared = |other: &&CaseAnalysis<'_>| {
        let means = SeriesComparison::of_cases(case, other)?;
        Some(vec![Cell::left(&format!("  {}", other.case().provider)), Cell::left(&means.line())])
    };
    let rows: Vec<Vec<Cell>> = others.iter().filter_map(compared).collect();
    if !rows.is_empty() {
        page.heading(
            "means of other libraries compared with this one, assuming independent samples (for verdicts: \
             `pqlab compare`)",
        );
        page.lines(&lines(&rows, usize::MAX, page.palette));
    }
}

fn figures(page: &mut Page, case: &CaseAnalysis<'_>, estimates: &Estimates) {
    let protocol = &case.header().protocol;
    let interval = &estimates.median_ns;
    let processes = estimates.processes;
    let spreads = protocol.run_spreads.of_case(&case.case().id());
    let assumed = if estimates.assumed_spread_pct.is_some() { "an assumed" } else { "a measured" };
    let basis = |pct: f64| {
        format!("from {processes} processes and their rounds, with {assumed} spread of {pct:.2}% between runs")
    };
    let confidence = significant(100.0 * interval.confidence);
    page.heading("one operation");
    let mut pairs = vec![
        ("median", time_within(interval)),
        ("interval", format!("{} ({confidence}%, {})", ends(interval), basis(spreads.time_pct))),
    ];
    if let Some(attempts) = &estimates.attempts {
        let at = format!("at {} attempts", digits(attempts.read.comb.expected, 3));
        pairs.push(("mean", format!("{}, {at}", time_within(&attempts.ns))));
        pairs.push(("interval", ends(&attempts.ns)));
        pairs.push(("sample mean", time_within(&estimates.mean_ns)));
    } else {
        pairs.push(("mean", time_within(&estimates.mean_ns)));
    }
    pairs.push(("interval", ends(&estimates.mean_ns)));
    pairs.extend(case.uninterrupted_mean_ns().map(|mean| ("mean without interruptions", time_within(&mean))));
    if let Some(cycles) = &estimates.cycles {
        let Interval { low, high, .. } = cycles.median;
        let source = cycles.origin();
        pairs.push((
            "core cycles",
            format!("{} ±{}, {source}", known_count(&cycles.median), percent(cycles.median.half_width_pct())),
        ));
        let ends = format!("{} to {}", count(low), count(high));
        pairs.push(("interval", format!("{ends} ({confidence}%, {})", basis(spreads.cycles_pct))));
        let mean = cycles.by(Statistic::Mean);
        pairs.push(("mean cycles", format!("{} ±{}", known_count(&mean), percent(mean.half_width_pct()))));
        pairs.extend(case.uninterrupted_mean_cycles().map(|mean| ("without interruptions", known_count(&mean))));
    }
    pairs.extend(estimates.attempts.iter().flat_map(by_attempt));
    pairs.extend(estimates.unread.map(|reason| ("attempts", format!("not known: {reason}"))));
    pairs.extend(estimates.components.map(|spread| {
        let share = percent(100.0 * spread.between_share);
        let (between, within) = (percent(spread.between_pct), percent(spread.within_pct));
        (
            "spread",
            format!(
                "{between} between processes, {within} between visits of a process ({share} of the variance is between processes)"
            ),
        )
    }));
    pairs.extend(
        estimates
            .drift
            .filter(|drift| drift.drifting)
            .map(|drift| ("drift", format!("{:+.1}% from the first round to the last", drift.change_pct))),
    );
    pairs.extend(case.rate().map(|(rate, unit)| ("rate", format!("{} {unit}", rate_within(&rate)))));
    let bytes = case.bytes();
    pairs.extend(estimates.bytes_per_second(bytes).map(|value| ("throughput", throughput_within(&value))));
    let unit = estimates.metric.unit();
    pairs.extend(estimates.ticks.map(|ticks| ("counted", format!("{} {unit}", digits(ticks, 4)))));
    if let Some(bytes) = bytes.filter(|bytes| *bytes > 0) {
        let ns = significant(estimates.headline_ns().estimate / bytes as f64);
        let ticks = estimates.ticks_per_byte(Some(bytes)).map(|ticks| format!(", {} {unit}", significant(ticks)));
        let cycles =
            estimates.cycles_per_byte(Some(bytes)).map(|cycles| format!(", {} core cycles", significant(cycles)));
        let (ticks, cycles) = (ticks.unwrap_or_default(), cycles.unwrap_or_default());
        pairs.push(("per byte", format!("{ns} ns{cycles}{ticks}")));
    }
    pairs.extend(estimates.clock_hz.map(|hertz| ("core clock", format!("about {}", frequency(hertz)))));
    pairs.extend(conditions(estimates));
    pairs.extend(case.record.second_chance.map(|outcome| ("measured again", second_chance(outcome).to_owned())));
    page.pairs(&pairs);
    for (note, says) in case.caveats.notes() {
        let text = match note {
            Caveat::Imprecise => format!("{}: {says}", note.word()),
            _ => note.word().to_owned(),
        };
        let text = page.palette.paint(TextStyle::Warning, &text);
        page.out.push_str(&(hanging(&format!("  {text} ({})", note.legend()), 4, page.width) + "\n"));
    }
    let left_out = match estimates.left_out {
        0 => String::new(),
        left_out => format!(", excluding {} disturbed", grouped(left_out as u64)),
    };
    let trimmed = match protocol.trim_pct {
        0.0 => String::new(),
        trim => format!(", {}% trimmed at each tail", significant(trim)),
    };
    let n = grouped(estimates.n as u64);
    page.heading(&match estimates.batch {
        1 => format!("{n} samples of one operation{left_out}{trimmed}"),
        batch => format!(
            "{n} samples, each the mean of a batch of {} operations{left_out}{trimmed}; single operations vary more",
            grouped(batch)
        ),
    });
    let mut pairs = spread(estimates, &case.interrupted_percentiles().unwrap_or_default());
    pairs.push(("Jarque-Bera", normality(protocol, estimates)));
    page.pairs(&pairs);
}

/// Returns the conditions of the measurement, and the processor state that the operation leaves behind.
fn conditions(estimates: &Estimates) -> Vec<(&'static str, String)> {
    let mut pairs = vec![("disturbed", format!("{} of the measuring time", percent(estimates.shared_pct)))];
    let numbers: Vec<String> = estimates.processors.iter().map(u32::to_string).collect();
    match numbers.as_slice() {
        [] => {}
        [one] => pairs.push(("processor", one.clone())),
        several => pairs.push(("processors", several.join(", "))),
    }
    let residues = estimates.residues.as_deref().map(residue_names);
    pairs.push(("leftover state", residues.unwrap_or_else(|| "unknown".to_owned())));
    pairs.extend(estimates.first_call_ns.map(|ns| ("first call", time(ns))));
    pairs.extend(estimates.modes.map(|[low, high]| {
        let text =
            |mode: Mode| format!("{} in {} of {} processes", time(mode.median), mode.processes, estimates.processes);
        ("modes", format!("{}, {}", text(low), text(high)))
    }));
    pairs
}

/// Describes the outcome of measuring a disturbed case again at the end of the run.
fn second_chance(outcome: SecondChance) -> &'static str {
    match outcome {
        SecondChance::Undisturbed => "at the end of the run, because it was disturbed; now undisturbed",
        SecondChance::Disturbed => "at the end of the run, because it was disturbed; still disturbed",
    }
}

/// Describes whether the samples may be normally distributed, or why the test for normality does not apply.
fn normality(protocol: &Protocol, estimates: &Estimates) -> String {
    match estimates.normality {
        Some(test) => {
            let verdict = if test.p_value < 0.05 { "not normal" } else { "may be normal" };
            let p = if test.p_value < 0.0001 { "p < 0.0001".to_owned() } else { format!("p = {:.4}", test.p_value) };
            format!("{} ({p}: {verdict})", digits(test.statistic, 4))
        }
        None if protocol.trim_pct > 0.0 => "does not apply to trimmed samples".to_owned(),
        None => "does not apply: too few samples, or all are equal".to_owned(),
    }
}

/// Returns statistics of the samples: minimum, quantiles, maximum and measures of spread. Omits a quantile if too few
/// samples lie beyond it. `interrupted` lists the names of quantiles that include an interruption of the core.
fn spread(estimates: &Estimates, interrupted: &[&str]) -> Vec<(&'static str, String)> {
    let samples = &estimates.samples_ns;
    let mut pairs = vec![("minimum", time(samples.min))];
    let quantiles = [("p5", 0.05), ("p25", 0.25), ("p75", 0.75), ("p95", 0.95), ("p99", 0.99)];
    pairs.extend(quantiles.iter().filter_map(|(name, order)| {
        let mark = if interrupted.contains(name) { " (includes an interruption)" } else { "" };
        Some((*name, format!("{}{mark}", time(estimates.quantile(*order)?))))
    }));
    pairs.push(("maximum", time(samples.max)));
    pairs.push(("IQM", format!("{} (interquartile mean)", time(samples.iqm))));
    pairs.push(("MAD", format!("{} (median absolute deviation)", time(samples.mad))));
    pairs.extend(samples.stdev.map(|stdev| ("stdev", format!("{} (standard deviation)", time(stdev)))));
    pairs.extend(samples.cov_pct.map(|variation| ("CoV", percent(variation))));
    let robust =
        |variation| format!("{} (0.741 × interquartile range / median: robust against outliers)", percent(variation));
    pairs.extend(samples.robust_cov_pct().map(|variation| ("rCoV", robust(variation))));
    pairs
}

fn processes(page: &mut Page, estimates: &Estimates) {
    page.heading("process medians");
    let all = estimates.median_ns.estimate;
    let mut rows = Vec::new();
    let shown = estimates.process_medians_ns.iter().take(MOST_PROCESSES);
    for (process, median) in shown {
        let against = if all > 0.0 { format!("{:+.1}%", 100.0 * (median / all - 1.0)) } else { String::new() };
        rows.push(vec![Cell::right(&format!("  {process}")), Cell::right(&time(*median)), Cell::right(&against)]);
    }
    page.table(&rows);
    if let Some(more @ 1..) = estimates.process_medians_ns.len().checked_sub(MOST_PROCESSES) {
        page.out.push_str(&format!("  and {} more\n", grouped(more as u64)));
    }
}

fn samples(page: &mut Page, case: &CaseAnalysis<'_>, estimates: &Estimates) {
    let Some(times) = case.times() else { return };
    page.heading(&match estimates.batch {
        1 => "histogram of single operations".to_owned(),
        batch => format!("histogram of means of {} operations", grouped(batch)),
    });
    let bars = histogram(&times, page.width, page.palette);
    page.lines(&bars);
}

fn extra(page: &mut Page, estimates: &Estimates) {
    if estimates.extra.is_empty() {
        return;
    }
    page.heading("measured by the workload");
    let mut rows = vec![["", "values", "minimum", "median", "mean", "p95", "p99", "maximum"].map(Cell::right).to_vec()];
    for (name, values) in &estimates.extra {
        let mut row = vec![Cell::left(&format!("  {name}")), Cell::right(&grouped(values.n as u64))];
        let shown = [values.min, values.median, values.mean, values.p95, values.p99, values.max];
        row.extend(shown.map(|value| Cell::right(&digits(value, 4))));
        rows.push(row);
    }
    page.table(&rows);
}

/// Shows statistics of the signature lengths, and the lengths that the standard specifies.
fn signature_lengths(page: &mut Page, case: &CaseAnalysis<'_>, estimates: &Estimates) {
    let Some(seen) = estimates.extra("signature_bytes") else { return };
    page.heading(&format!("lengths of {} signatures in bytes", grouped(seen.n as u64)));
    let exact = |value: f64| digits(value, 5);
    let mut pairs = vec![("minimum", exact(seen.min))];
    pairs.extend(
        [("p5", seen.p5), ("p25", seen.p25), ("median", seen.median)].map(|(name, value)| (name, exact(value))),
    );
    pairs.extend([("p75", seen.p75), ("p95", seen.p95), ("p99", seen.p99)].map(|(name, value)| (name, exact(value))));
    pairs.push(("maximum", exact(seen.max)));
    pairs.push(("mean", exact(seen.mean)));
    pairs.extend(seen.stdev.map(|stdev| ("stdev", format!("{} (standard deviation)", exact(stdev)))));
    pairs.extend(padded_length(&case.case().algorithm).map(|length| {
        ("sbytelen", format!("{length} (length of padded signatures: Falcon specification, table 3.3)"))
    }));
    let longest = case.case().facts.sizes.signature;
    pairs.extend(longest.map(|longest| ("limit", format!("{} (maximum length of the encoding)", grouped(longest)))));
    page.pairs(&pairs);
}

/// Returns the length of a padded signature in bytes (`sbytelen` in the Falcon specification, table 3.3).
fn padded_length(algorithm: &str) -> Option<u64> {
    match algorithm {
        "Falcon-512" | "Falcon-padded-512" => Some(666),
        "Falcon-1024" | "Falcon-padded-1024" => Some(1280),
        _ => None,
    }
}

fn lengths(page: &mut Page, sizes: &Sizes) {
    let all = [
        ("public key", sizes.public_key),
        ("secret key", sizes.secret_key),
        ("ciphertext", sizes.ciphertext),
        ("shared secret", sizes.shared_secret),
        ("signature", sizes.signature),
    ];
    let rows = all.iter().filter_map(|(name, length)| {
        Some(vec![Cell::left(&format!("  {name}")), Cell::right(&format!("{} B", grouped((*length)?)))])
    });
    let rows: Vec<Vec<Cell>> = rows.collect();
    if !rows.is_empty() {
        page.heading("lengths");
        page.table(&rows);
    }
}

fn disturbances(page: &mut Page, disturbances: &Disturbances) {
    if disturbances.visits == 0 {
        return;
    }
    page.heading("disturbances");
    page.out.push_str(&format!("  {disturbances}\n"));
    let line = |(_, visits, worst): &(&str, usize, pqlab_record::Disturbance)| match visits {
        1 => format!("  1 visit: {worst}"),
        visits => format!("  {visits} visits, at worst: {worst}"),
    };
    page.lines(&disturbances.kinds.iter().map(line).collect::<Vec<_>>());
}

/// Formats both ends of an interval of times.
fn ends(interval: &Interval) -> String {
    format!("{} to {}", time(interval.low), time(interval.high))
}

/// Formats a time with four digits.
fn time(nanoseconds: f64) -> String {
    let (number, unit) = duration_digits(nanoseconds, 4);
    format!("{number} {unit}")
}

#[cfg(test)]
mod tests {
    use super::super::palette::tests::{COLOUR, stripped};
    use super::*;
    use crate::fixtures;
    use pqlab_record::{Disturbance, Residue, Run};

    fn shown(run: &Run, index: usize) -> String {
        show_case(&CaseAnalysis::new(&run.header, &run.records[index]), &[], 140, Palette::PLAIN)
    }

    #[test]
    fn show_case_gives_identity_figures_lengths_and_environment() {
        let run = fixtures::run();
        let text = shown(&run, 0);
        let wanted = "kem/ML-KEM-768/encapsulate@liboqs
  run            20261121T185800-k3f9 (suite standard, seed 1)
  provider       liboqs 0.13.0 (avx2, vendored)
  language       C and assembly
  standard       FIPS 203
  NIST category  3
  answers        verified
  finished       2026-11-21T18:59:00Z

one operation
  median          10.4 µs ±3.2%
  interval        10.08 µs to 10.74 µs (95.0%, from 8 processes and their rounds, with an assumed spread of 1.50% between runs)
  mean            10.4 µs ±3.2%
  interval        10.09 µs to 10.75 µs
  core cycles     28,090 ±0.9%, estimated from the time and the core clock
  interval        27,850 to 28,330 (95.0%, from 8 processes and their rounds, with an assumed spread of 0.15% between runs)
  mean cycles     28,120 ±0.9%
  spread          0.2% between processes, 0.1% between visits of a process (67.4% of the variance is between processes)
  rate            96,000 ±3.2% op/s
  counted         21,840 TSC ticks
  core clock      about 2.70 GHz
  disturbed       0.0% of the measuring time
  leftover state  unknown

640 samples of one operation
  minimum      10.26 µs
  p5           10.30 µs
";
        assert!(text.starts_with(wanted), "{text}");
        let wanted = "
process medians
  0  10.38 µs  -0.2%
";
        assert!(text.contains(wanted), "{text}");
        assert!(text.contains("\nhistogram of single operations\n        10.26  – 10.30 µs   30  █████"), "{text}");
        let wanted = "
lengths
  public key     1,184 B
  secret key     2,400 B
  ciphertext     1,088 B
  shared secret     32 B

disturbances
  0 of 16 visits disturbed

Example CPU @ 2.10GHz · 2 cores · ";
        assert!(text.contains(wanted), "{text}");
        assert_eq!(stripped(&show_case(&CaseAnalysis::new(&run.header, &run.records[0]), &[], 140, COLOUR)), text);
    }

    #[test]
    fn failed_cases_show_the_reason() {
        let wanted = "  finished       2026-11-21T18:59:00Z

FAILED  decapsulation gave a different secret

lengths
";
        let text = shown(&fixtures::run(), 2);
        assert!(text.contains(wanted), "{text}");
        assert!(!text.contains("histogram") && !text.contains("disturbances"));
    }

    #[test]
    fn batches_are_named() {
        let text = shown(&fixtures::run(), 5);
        assert!(
            text.contains("\n640 samples, each the mean of a batch of 16 operations; single operations vary more\n")
        );
        assert!(text.contains("\nhistogram of means of 16 operations\n"));
        assert!(text.contains("\n  per byte        3.13 ns, 8.44 core cycles, 6.56 TSC ticks\n"));
    }

    #[test]
    fn caveats_are_explained() {
        let mut run = fixtures::run();
        run.header.protocol.trim_pct = 1.0;
        run.header.protocol.precision_pct = 0.1;
        let record = &mut run.records[0];
        record.samples.visits[0].disturbances = vec![Disturbance::Steal { pct: 4.0 }];
        record.samples.visits[0].repeats = 3;
        record.samples.visits[1].extra = vec![("signature_bytes".to_owned(), vec![650.0, 651.0, 655.0])];
        let text = shown(&run, 0);
        assert!(
            text.contains("\n  imprecise: spread (did not reach the target precision, which is judged in core cycles if they are known)\n"),
            "{text}"
        );
        assert!(text.contains("\n600 samples of one operation, excluding 40 disturbed, 1.00% trimmed"));
        assert!(text.contains(
            "\n  1 of 16 visits disturbed; 3 more were disturbed, discarded and measured again\n  1 visit: the hypervisor stole 4.0% of the time"
        ));
        let wanted = "
measured by the workload
                   values  minimum  median   mean    p95    p99  maximum
  signature_bytes       3    650.0   651.0  652.0  654.6  654.9    655.0
";
        assert!(text.contains(wanted), "{text}");
    }

    #[test]
    fn conditions_are_named() {
        let mut run = fixtures::run();
        let visits = &mut run.records[0].samples.visits;
        for visit in visits.iter_mut() {
            visit.conditions.processor = Some(1);
            visit.conditions.residues = Some(vec![Residue::VectorUpper]);
            visit.conditions.first_call_ns = (visit.round == 0).then_some(250_000.0);
            if visit.process < 3 {
                visit.ticks.iter_mut().for_each(|ticks| *ticks *= 2);
            }
        }
        let text = shown(&run, 0);
        for wanted in [
            "\n  processor       1\n",
            "\n  leftover state  vector-upper\n",
            "\n  first call      250.0 µs\n",
            "\n  modes           10.41 µs in 5 of 8 processes, 20.77 µs in 3 of 8 processes\n",
        ] {
            assert!(text.contains(wanted), "{text}");
        }
        let visits = &mut run.records[0].samples.visits;
        visits.iter_mut().for_each(|visit| visit.conditions.residues = Some(Vec::new()));
        visits[0].conditions.processor = Some(0);
        let text = shown(&run, 0);
        assert!(text.contains("\n  processors      0, 1\n") && text.contains("\n  leftover state  none\n"), "{text}");
    }

    #[test]
    fn all_parts_of_a_provider_are_named() {
        let mut run = fixtures::run();
        run.records[0].case.provider = "aws-lc+liboqs:portable+unknown".to_owned();
        let wanted = "
  provider       aws-lc 1.19.0 (assembly)
  provider       liboqs:portable 0.13.0 (avx2, vendored)
  provider       unknown
";
        assert!(shown(&run, 0).contains(wanted));
        run.records[0].case.provider = fixtures::HOSTILE.to_owned();
        assert!(!shown(&run, 0).chars().any(|character| character != '\n' && character.is_control()));
    }
}
