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

/// Operation on several threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScalingEntry {
    /// The case's id.
    pub id: String,
    /// Algorithm and operation, with the parameters that distinguish cases except the number of threads.
    pub name: String,
    /// The provider's id.
    pub provider: String,
    /// Threads that worked at once.
    pub threads: u64,
    /// Processors over which the threads were spread.
    pub cores: Option<u64>,
    /// Whether there were more threads than processors.
    pub oversubscribed: bool,
    /// Operations per second, all threads together.
    pub ops_per_s: f64,
    /// 95% interval of `ops_per_s`.
    pub ops_per_s_ci: [f64; 2],
    /// Throughput relative to one thread; null if one thread was not measured.
    pub speed_up: Option<RatioInterval>,
    /// Speed-up divided by the number of threads, or of processors if there are fewer.
    pub efficiency: Option<RatioInterval>,
}

/// Load of several tasks on a thread pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadEntry {
    /// The case's id.
    pub id: String,
    /// Algorithm and operation, with the parameters that distinguish cases except the numbers of tasks and workers.
    pub name: String,
    /// The provider's id.
    pub provider: String,
    /// Tasks submitted at once.
    pub tasks: u64,
    /// Threads of the pool.
    pub workers: u64,
    /// Processors over which the workers were spread.
    pub cores: Option<u64>,
    /// Whether there were more workers than processors.
    pub oversubscribed: bool,
    /// Mean wall time of a load in ms.
    pub wall_ms: f64,
    /// Tasks per second.
    pub ops_per_s: f64,
    /// 95% interval of `ops_per_s`.
    pub ops_per_s_ci: [f64; 2],
    /// Median wait of a load's tasks for a worker in µs: the median over the loads.
    pub queueing_p50_us: Option<f64>,
    /// 95th percentile of that wait in µs: the median over the loads.
    pub queueing_p95_us: Option<f64>,
    /// 99th percentile of that wait in µs: the median over the loads.
    pub queueing_p99_us: Option<f64>,
    /// Longest wait of any task of any load in µs.
    pub queueing_max_us: Option<f64>,
    /// Throughput relative to the best load of the same operation, in percent: negative for a loss.
    pub against_peak_pct: Option<RatioInterval>,
    /// Throughput relative to the smallest load of the same operation, in percent: negative for a loss.
    pub against_smallest_pct: Option<RatioInterval>,
}
