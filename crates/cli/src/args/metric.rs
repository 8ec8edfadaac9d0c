use clap::ValueEnum;
use pqlab_lab::analysis::comparison::Judged;

/// In which unit cases are compared.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetricName {
    /// Core cycles where both cases have them, else the time
    Auto,
    /// The time
    Time,
    /// Core cycles
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
