use crate::coefficient_of_variation_pct;

/// Coefficient of variation of one operation, compared with a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Stability {
    /// Name of the operation, as passed in.
    pub name: String,
    /// Coefficient of variation in percent. `None` if it is undefined.
    pub cov_pct: Option<f64>,
    /// Whether the coefficient exceeds the limit.
    pub unstable: bool,
}

/// Returns the coefficient of variation of each operation, highest first and undefined ones last. Marks coefficients
/// above `limit_pct`. The report shows spread, not leakage: a signer with rejection sampling may exceed any limit
/// without leaking anything.
pub fn cov_stability_report<'a>(
    operations: impl IntoIterator<Item = (&'a str, &'a [f64])>,
    limit_pct: f64,
) -> Vec<Stability> {
    let judge = |(name, samples): (&str, &[f64])| {
        let cov_pct = coefficient_of_variation_pct(samples).filter(|cov| cov.is_finite());
        Stability { name: name.to_owned(), cov_pct, unstable: cov_pct.is_some_and(|cov| cov > limit_pct) }
    };
    let mut report: Vec<Stability> = operations.into_iter().map(judge).collect();
    let key = |row: &Stability| row.cov_pct.unwrap_or(f64::NEG_INFINITY);
    report.sort_by(|left, right| key(right).total_cmp(&key(left)));
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_the_most_variable_first() {
        let operations: [(&str, &[f64]); 3] = [("one", &[5.0]), ("calm", &[100.0, 101.0]), ("wild", &[1.0, 2.0, 9.0])];
        let report = cov_stability_report(operations, 5.0);
        let rows: Vec<(&str, bool)> = report.iter().map(|row| (row.name.as_str(), row.unstable)).collect();
        assert_eq!(rows, [("wild", true), ("calm", false), ("one", false)]);
        assert_eq!(report[2].cov_pct, None);
        assert!((report[1].cov_pct.unwrap() - 100.0 * 0.5_f64.sqrt() / 100.5).abs() < 1e-12);
    }
}
