use serde::{Deserialize, Serialize};

/// An estimate with its 95% interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatioInterval {
    /// The estimate.
    pub estimate: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// One operation on so many threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScalingEntry {
    /// The case's id.
    pub id: String,
    /// Algorithm and operation, with what tells cases apart beside the number of threads.
    pub name: String,
    /// The provider's id.
    pub provider: String,
    /// Threads that worked at once.
    pub threads: u64,
    /// Processors over which they were spread.
    pub cores: Option<u64>,
    /// Whether there were more threads than processors.
    pub oversubscribed: bool,
    /// Operations a second, all threads together.
    pub ops_per_s: f64,
    /// The ends of its 95% interval.
    pub ops_per_s_ci: [f64; 2],
    /// Throughput over that of one thread; absent where that was not measured.
    pub speed_up: Option<RatioInterval>,
    /// Speed-up over the number of threads, or of processors where these are fewer.
    pub efficiency: Option<RatioInterval>,
}

/// So many tasks at once through a thread pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadEntry {
    /// The case's id.
    pub id: String,
    /// Algorithm and operation, with what tells cases apart beside the numbers of tasks and workers.
    pub name: String,
    /// The provider's id.
    pub provider: String,
    /// Tasks submitted at once.
    pub tasks: u64,
    /// Threads of the pool.
    pub workers: u64,
    /// Processors over which they were spread.
    pub cores: Option<u64>,
    /// Whether there were more workers than processors.
    pub oversubscribed: bool,
    /// Wall time of a load in ms: the mean.
    pub wall_ms: f64,
    /// Tasks a second.
    pub ops_per_s: f64,
    /// The ends of its 95% interval.
    pub ops_per_s_ci: [f64; 2],
    /// Time in µs that half of the tasks of a load wait for a worker at most: the median over the loads.
    pub queueing_p50_us: Option<f64>,
    /// As above, for 95% of the tasks.
    pub queueing_p95_us: Option<f64>,
    /// As above, for 99% of the tasks.
    pub queueing_p99_us: Option<f64>,
    /// The longest that any task of any load waited.
    pub queueing_max_us: Option<f64>,
    /// Throughput against the best load of the same operation, in percent: negative for a loss.
    pub against_peak_pct: Option<RatioInterval>,
    /// Throughput against the smallest load of the same operation, in percent: negative for a loss.
    pub against_smallest_pct: Option<RatioInterval>,
}
