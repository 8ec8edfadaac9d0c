use serde::{Deserialize, Serialize};

/// An estimate with its 95% interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatioInterval {
    /// The estimate.
    pub estimate: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// An operation on several threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScalingEntry {
    /// Case id.
    pub id: String,
    /// Algorithm and operation, with all distinguishing parameters except the number of threads.
    pub name: String,
    /// Provider id.
    pub provider: String,
    /// Number of threads that worked at the same time.
    pub threads: u64,
    /// Number of processors over which the threads were spread.
    pub cores: Option<u64>,
    /// Whether there were more threads than processors.
    pub oversubscribed: bool,
    /// Operations per second, summed over all threads.
    pub ops_per_s: f64,
    /// 95% interval of `ops_per_s`.
    pub ops_per_s_ci: [f64; 2],
    /// Throughput relative to one thread; null if one thread was not measured.
    pub speed_up: Option<RatioInterval>,
    /// Speed-up divided by the number of threads, or of processors if there are fewer.
    pub efficiency: Option<RatioInterval>,
}

/// Tasks that were submitted together to a thread pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadEntry {
    /// Case id.
    pub id: String,
    /// Algorithm and operation, with all distinguishing parameters except the numbers of tasks and workers.
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
    /// Mean wall time of a load in ms.
    pub wall_ms: f64,
    /// Tasks per second.
    pub ops_per_s: f64,
    /// 95% interval of `ops_per_s`.
    pub ops_per_s_ci: [f64; 2],
    /// Median over the loads of the median time that a task waited for a worker, in µs.
    pub queueing_p50_us: Option<f64>,
    /// Median over the loads of the 95th percentile of the time that a task waited for a worker, in µs.
    pub queueing_p95_us: Option<f64>,
    /// Median over the loads of the 99th percentile of the time that a task waited for a worker, in µs.
    pub queueing_p99_us: Option<f64>,
    /// Longest time that any task of any load waited for a worker, in µs.
    pub queueing_max_us: Option<f64>,
    /// Throughput relative to the best load of the same operation, in percent. Negative values are losses.
    pub against_peak_pct: Option<RatioInterval>,
    /// Throughput relative to the smallest load of the same operation, in percent. Negative values are losses.
    pub against_smallest_pct: Option<RatioInterval>,
}
