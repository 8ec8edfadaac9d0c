use clap::ValueEnum;
use pqlab_lab::analysis::comparison::Judged;

/// Metric that decides a comparison.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum MetricName {
    #[default]
    Auto,
    Time,
    Cycles,
}

impl From<MetricName> for Judged {
    fn from(name: MetricName) -> Judged {
        match name {
            MetricName::Auto => Judged::Auto,
            MetricName::Time => Judged::Time,
            MetricName::Cycles => Judged::Cycles,
        }
    }
}
