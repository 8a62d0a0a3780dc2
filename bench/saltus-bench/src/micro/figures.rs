//! Medians and quantiles.

/// Returns the median.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = |index: usize| values.get(index).copied().unwrap_or(f64::NAN);
    let half = values.len() / 2;
    if values.len() % 2 == 1 { at(half) } else { f64::midpoint(at(half.wrapping_sub(1)), at(half)) }
}

/// Returns a quantile of sorted values.
pub(super) fn quantile(sorted: &[u64], share: f64) -> f64 {
    let index = ((sorted.len() as f64 * share) as usize).min(sorted.len().saturating_sub(1));
    sorted.get(index).map_or(f64::NAN, |value| *value as f64)
}
