use serde::{Deserialize, Serialize};

/// A ratio or percentage with its 95% interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatioInterval {
    /// The estimate.
    pub estimate: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Throughput of an operation on several threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScalingEntry {
    /// Case id.
    pub id: String,
    /// Name of the case without the number of threads: algorithm, operation and all other parameters.
    pub name: String,
    /// Provider id.
    pub provider: String,
    /// Number of threads that run the operation at the same time.
    pub threads: u64,
    /// Number of processors over which the threads were spread.
    pub cores: Option<u64>,
    /// Whether there were more threads than processors.
    pub oversubscribed: bool,
    /// Operations per second, summed over all threads.
    pub ops_per_s: f64,
    /// 95% interval of `ops_per_s`.
    pub ops_per_s_ci: [f64; 2],
    /// Speed-up: throughput divided by the throughput of one thread. Null if one thread was not measured.
    pub speed_up: Option<RatioInterval>,
    /// Efficiency: the speed-up divided by the number of threads, or by the number of processors if there are fewer.
    pub efficiency: Option<RatioInterval>,
}

/// Figures of a load: a number of tasks that are submitted together to a thread pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadEntry {
    /// Case id.
    pub id: String,
    /// Name of the case without the numbers of tasks and workers: algorithm, operation and all other parameters.
    pub name: String,
    /// Provider id.
    pub provider: String,
    /// Number of tasks submitted together.
    pub tasks: u64,
    /// Number of threads in the pool.
    pub workers: u64,
    /// Number of processors over which the workers were spread.
    pub cores: Option<u64>,
    /// Whether there were more workers than processors.
    pub oversubscribed: bool,
    /// Mean wall time of a load, from submitting the tasks to finishing the last one, in ms.
    pub wall_ms: f64,
    /// Tasks per second.
    pub ops_per_s: f64,
    /// 95% interval of `ops_per_s`.
    pub ops_per_s_ci: [f64; 2],
    /// Median time that a task waits for a worker, in µs. Each load has a median; this is the median over the loads.
    pub queueing_p50_us: Option<f64>,
    /// 95th percentile of the time that a task waits for a worker, in µs. Each load has a 95th percentile; this is the
    /// median over the loads.
    pub queueing_p95_us: Option<f64>,
    /// 99th percentile of the time that a task waits for a worker, in µs. Each load has a 99th percentile; this is the
    /// median over the loads.
    pub queueing_p99_us: Option<f64>,
    /// Longest time that any task of any load waited for a worker, in µs.
    pub queueing_max_us: Option<f64>,
    /// Percentage by which the throughput differs from that of the best load for the same operation and number of
    /// workers. Negative values are losses.
    pub against_peak_pct: Option<RatioInterval>,
    /// Percentage by which the throughput differs from that of the smallest load for the same operation and number of
    /// workers. Negative values are losses.
    pub against_smallest_pct: Option<RatioInterval>,
}
