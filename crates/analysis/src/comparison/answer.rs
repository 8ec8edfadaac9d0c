//! Summarizes a comparison in one or two lines.

use super::{ComparedCase, Comparison};
use crate::number::{factor, factor_within, grouped, percent};
use crate::text::neutral;
use pqlab_stats::{Sorted, Verdict};

impl Comparison {
    /// Summarizes the comparison in one or two lines.
    pub fn answer(&self) -> String {
        let cases = grouped(self.cases.len() as u64);
        let with_verdict = |verdict: Verdict| self.cases.iter().filter(move |case| case.judgement.verdict == verdict);
        let ratio = |case: &&ComparedCase| case.ratio.map(|ratio| ratio.ratio);
        let (slower, faster) = (with_verdict(Verdict::Slower), with_verdict(Verdict::Faster));
        let worst = slower
            .filter_map(|case| Some((case, ratio(&case)?)))
            .max_by(|one, two| one.1.estimate.total_cmp(&two.1.estimate));
        let best = faster
            .filter_map(|case| Some((case, ratio(&case)?)))
            .min_by(|one, two| one.1.estimate.total_cmp(&two.1.estimate));
        let mut parts = Vec::new();
        for (found, verdict) in [(worst, Verdict::Slower), (best, Verdict::Faster)] {
            if let Some((case, ratio)) = found {
                let number = grouped(self.count(verdict) as u64);
                let name = if case.first == case.second {
                    case.second.clone()
                } else {
                    format!("{} vs {}", case.second, case.first)
                };
                parts.push(format!(
                    "{number} of {cases} {}, largest difference: {} ({})",
                    verdict.name(),
                    neutral(&name),
                    factor_within(&ratio)
                ));
            }
        }
        let broken = self.cases.iter().filter(|case| case.broken).count();
        if broken > 0 {
            parts.push(format!("{} newly failing", grouped(broken as u64)));
        }
        let margin = percent(self.criteria.margin_pct);
        let (equivalent, open) = (self.count(Verdict::Equivalent), self.count(Verdict::Inconclusive));
        if equivalent > 0 {
            parts.push(format!("{} equivalent within ±{margin}", grouped(equivalent as u64)));
        }
        if open > 0 {
            parts.push(format!("{} inconclusive", grouped(open as u64)));
        }
        let mut text = format!("Answer: {}.\n", parts.join("; "));
        let mut ratios: Vec<f64> = self.cases.iter().filter_map(|case| Some(case.time_ratio?.ratio.estimate)).collect();
        ratios.sort_by(f64::total_cmp);
        if let (Some([first, second]), Some(sorted)) = (&self.machines, Sorted::new(ratios)) {
            text.push_str(&format!(
                "On {}, a typical case takes {} as long as on {}; half of the cases take {} to {}.\n",
                neutral(second),
                factor(sorted.median()),
                neutral(first),
                factor(sorted.quantile(0.25)),
                factor(sorted.quantile(0.75)),
            ));
        }
        text
    }
}
