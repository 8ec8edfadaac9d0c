//! Describes the machine and the build, and finds settings that disturb measurements.

mod advice;
mod build;
mod cpu;
mod host;
mod kinds;
mod os;
mod root;

pub use advice::{Advice, Severity, advise, advise_here, busy_here, quota_here};
pub use build::set_commit;

use crate::system::{Here, System};
use pqlab_record::{Cache, Counters, Environment, ProviderBuild};
use root::Root;
use std::path::Path;

/// Describes this machine as it is now. Unknown properties are `None`.
pub fn capture(providers: Vec<ProviderBuild>, counters: Counters) -> Environment {
    let mut environment = capture_from(&Root::new(Path::new("/")), true, providers, counters);
    Here::complete(&mut environment);
    environment
}

/// Describes how this program was built.
pub(crate) fn build() -> pqlab_record::Build {
    build::build()
}

/// Returns the caches of the first processor, read from the files below `root`. Empty if unknown.
pub(crate) fn caches(root: &Path) -> Vec<Cache> {
    cpu::caches(&Root::new(root))
}

/// Returns the processors of each core type, read from the files below `root`. Empty if all cores are alike or their
/// types are unknown.
pub(crate) fn kinds(root: &Path) -> Vec<Vec<u32>> {
    kinds::kinds(&Root::new(root))
}

fn capture_from(root: &Root, on_this_machine: bool, providers: Vec<ProviderBuild>, counters: Counters) -> Environment {
    Environment {
        host: host::host(root),
        cpu: cpu::cpu(root, &crate::affinity::allowed(), on_this_machine),
        os: os::operating_system(root),
        build: build::build(),
        providers,
        counters,
        core: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_providers_and_counters() {
        let provider = ProviderBuild { id: "null".into(), version: "1".into(), ..ProviderBuild::default() };
        let counters = Counters { primary: "wall".into(), ..Counters::default() };
        let (_folder, root) = Root::made_of(&[]);
        let environment = capture_from(&root, false, vec![provider.clone()], counters.clone());
        assert_eq!((environment.providers, environment.counters), (vec![provider], counters));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn captures_this_machine() {
        let environment = capture(Vec::new(), Counters::default());
        assert!(environment.cpu.cores > 0);
        assert!(!environment.cpu.model.is_empty() && !environment.os.kernel.is_empty());
        assert!(environment.host.memory.total > environment.host.memory.available);
        assert!(environment.host.load.is_some());
    }
}
