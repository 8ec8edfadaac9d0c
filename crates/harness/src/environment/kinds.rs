use super::root::Root;
use std::collections::BTreeMap;

/// Files that list the processors of each core type on Intel's hybrid processors.
const LISTS: [&str; 3] = ["sys/devices/cpu_core/cpus", "sys/devices/cpu_atom/cpus", "sys/devices/cpu_lowpower/cpus"];
const PROCESSORS: &str = "sys/devices/system/cpu";
/// Files that distinguish core types on other processors: the capacity reported by Arm kernels, or the maximum clock
/// rate.
const TELLING: [&str; 2] = ["cpu_capacity", "cpufreq/cpuinfo_max_freq"];

/// Returns the processors of each core type, in ascending order. Empty if all cores are alike or their types are
/// unknown.
pub(super) fn kinds(root: &Root) -> Vec<Vec<u32>> {
    let listed: Vec<Vec<u32>> = LISTS.iter().filter_map(|path| numbers(&root.text(path)?)).collect();
    if listed.len() > 1 {
        return listed;
    }
    let processors: Vec<u32> = root
        .names(PROCESSORS)
        .iter()
        .filter_map(|name| name.strip_prefix("cpu")?.parse().ok())
        .filter(|cpu| root.exists(&format!("{PROCESSORS}/cpu{cpu}")))
        .collect();
    let values = |what: &str| {
        let mut kinds: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for &cpu in &processors {
            let value = root.number(&format!("{PROCESSORS}/cpu{cpu}/{what}"));
            kinds.entry(value.unwrap_or(0)).or_default().push(cpu);
        }
        kinds.values_mut().for_each(|kind| kind.sort_unstable());
        kinds.into_values().collect::<Vec<_>>()
    };
    TELLING.into_iter().map(values).find(|kinds| kinds.len() > 1).unwrap_or_default()
}

/// Parses a list of processors such as `0-7,16`. `None` if the list is malformed.
fn numbers(list: &str) -> Option<Vec<u32>> {
    let range = |part: &str| -> Option<std::ops::RangeInclusive<u32>> {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse().ok()?..=last.trim().parse().ok()?)
    };
    let ranges: Vec<_> = list.split(',').map(range).collect::<Option<_>>()?;
    Some(ranges.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds_from(files: &[(&str, &str)]) -> Vec<Vec<u32>> {
        let (_folder, root) = Root::made_of(files);
        kinds(&root)
    }

    #[test]
    fn distinguishes_two_core_types() {
        let hybrid = [("sys/devices/cpu_core/cpus", "0-3,8\n"), ("sys/devices/cpu_atom/cpus", "4-7\n")];
        assert_eq!(kinds_from(&hybrid), [vec![0, 1, 2, 3, 8], vec![4, 5, 6, 7]]);
        let capacity = |cpu: u32| format!("sys/devices/system/cpu/cpu{cpu}/cpu_capacity");
        let paths = [0, 1, 10, 2].map(capacity);
        let arm: Vec<(&str, &str)> =
            paths.iter().map(String::as_str).zip(["446\n", "446\n", "1024\n", "1024\n"]).collect();
        assert_eq!(kinds_from(&arm), [vec![0, 1], vec![2, 10]]);
        let clocks = [
            ("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "5000000\n"),
            ("sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq", "3800000\n"),
            ("sys/devices/system/cpu/cpufreq/boost", "1\n"),
        ];
        assert_eq!(kinds_from(&clocks), [vec![1], vec![0]]);
    }

    #[test]
    fn returns_no_types_if_all_cores_are_alike_or_unknown() {
        assert!(kinds_from(&[]).is_empty());
        assert!(kinds_from(&[("sys/devices/cpu_core/cpus", "0-3\n")]).is_empty());
        let alike = [
            ("sys/devices/system/cpu/cpu0/cpu_capacity", "1024\n"),
            ("sys/devices/system/cpu/cpu1/cpu_capacity", "1024\n"),
        ];
        assert!(kinds_from(&alike).is_empty());
        assert_eq!(numbers("0-x"), None);
    }
}
