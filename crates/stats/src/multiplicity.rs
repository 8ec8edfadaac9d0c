/// Adjusts the p-values of several tests to control the false discovery rate. If every test with an adjusted p-value of
/// at most `q` counts as a discovery, at most a fraction `q` of the discoveries is expected to be false. This holds for
/// independent tests (Benjamini and Hochberg, "Controlling the False Discovery Rate", Journal of the Royal Statistical
/// Society B 57 (1995)) and for positively dependent tests (Benjamini and Yekutieli, "The Control of the False
/// Discovery Rate in Multiple Testing under Dependency", Annals of Statistics 29 (2001)). Keeps the order of the input.
/// NaN stays NaN and is not counted as a test.
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).filter(|&index| !p_values[index].is_nan()).collect();
    order.sort_by(|&left, &right| p_values[left].total_cmp(&p_values[right]));
    let tests = order.len() as f64;
    let mut adjusted = p_values.to_vec();
    let mut least = 1.0_f64;
    for (rank, &index) in order.iter().enumerate().rev() {
        least = least.min(p_values[index] * tests / (rank + 1) as f64);
        adjusted[index] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjustment_keeps_the_order_and_never_exceeds_one() {
        let adjusted = benjamini_hochberg(&[0.04, 0.01, 0.03, 0.9]);
        let expected = [0.04 * 4.0 / 3.0, 0.04, 0.04 * 4.0 / 3.0, 0.9];
        assert!(adjusted.iter().zip(expected).all(|(left, right)| (left - right).abs() < 1e-15), "{adjusted:?}");
        assert_eq!(benjamini_hochberg(&[0.7]), [0.7]);
        assert_eq!(benjamini_hochberg(&[1.0, 1.0]), [1.0, 1.0]);
        assert!(benjamini_hochberg(&[]).is_empty());
    }

    #[test]
    fn ignores_nan() {
        let adjusted = benjamini_hochberg(&[f64::NAN, 0.02, 0.5]);
        assert!(adjusted[0].is_nan());
        assert_eq!(adjusted[1..], [0.04, 0.5]);
    }
}
