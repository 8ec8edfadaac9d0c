use super::root::Root;
use pqlab_record::{Host, Memory, Pressure};

pub(super) fn host(root: &Root) -> Host {
    Host {
        name: root.text("proc/sys/kernel/hostname"),
        memory: memory(&root.text("proc/meminfo").unwrap_or_default()),
        load: root.text("proc/loadavg").as_deref().and_then(load),
        pressure: root.text("proc/pressure/cpu").as_deref().and_then(pressure),
        container: container(root),
        captured_at: crate::clock::utc_now(),
    }
}

fn memory(meminfo: &str) -> Memory {
    let bytes = |key: &str| -> Option<u64> {
        let rest = meminfo.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
        let kibibytes: u64 = rest.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kibibytes * 1_024)
    };
    Memory { total: bytes("MemTotal"), available: bytes("MemAvailable") }
}

fn load(loadavg: &str) -> Option<[f64; 3]> {
    let mut averages = loadavg.split_ascii_whitespace().map(|word| word.parse().ok());
    Some([averages.next()??, averages.next()??, averages.next()??])
}

fn pressure(psi: &str) -> Option<Pressure> {
    let line = psi.lines().find(|line| line.starts_with("some "))?;
    let share = |key: &str| line.split_ascii_whitespace().find_map(|word| word.strip_prefix(key)?.parse().ok());
    Some(Pressure { avg10: share("avg10=")?, avg60: share("avg60=")? })
}

/// Detects the container runtime from its files, environment variables and control groups.
fn container(root: &Root) -> Option<String> {
    if root.exists("run/.containerenv") {
        return Some("podman".to_owned());
    }
    if root.exists("var/run/secrets/kubernetes.io") || root.exists("run/secrets/kubernetes.io") {
        return Some("kubernetes".to_owned());
    }
    if root.exists(".dockerenv") {
        return Some("docker".to_owned());
    }
    if let Some(name) = root.text("run/systemd/container") {
        return Some(name);
    }
    if let Some(name) = root
        .text("proc/1/environ")
        .and_then(|variables| variables.split('\0').find_map(|pair| pair.strip_prefix("container=").map(str::to_owned)))
    {
        return Some(name);
    }
    let groups = root.text("proc/1/cgroup").unwrap_or_default();
    let marks = [
        ("kubepods", "kubernetes"),
        ("docker", "docker"),
        ("libpod", "podman"),
        ("containerd", "containerd"),
        ("lxc", "lxc"),
        ("garden", "garden"),
    ];
    if let Some((_, name)) = marks.iter().find(|(mark, _)| groups.contains(mark)) {
        return Some((*name).to_owned());
    }
    let kernel = root.text("proc/sys/kernel/osrelease").unwrap_or_default().to_lowercase();
    kernel.contains("microsoft").then(|| "wsl".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_read_from_proc() {
        let (_folder, root) = Root::made_of(&[
            ("proc/sys/kernel/hostname", "bench-1\n"),
            ("proc/meminfo", "MemTotal:       24683520 kB\nMemFree:        1 kB\nMemAvailable:   24100000 kB\n"),
            ("proc/loadavg", "1.04 0.71 0.43 2/95 1234\n"),
            (
                "proc/pressure/cpu",
                "some avg10=9.28 avg60=3.73 avg300=1.79 total=18240343\nfull avg10=0.00 avg60=0.00\n",
            ),
        ]);
        let host = host(&root);
        assert_eq!(host.name.as_deref(), Some("bench-1"));
        assert_eq!(host.memory, Memory { total: Some(24_683_520 * 1_024), available: Some(24_100_000 * 1_024) });
        assert_eq!(host.load, Some([1.04, 0.71, 0.43]));
        assert_eq!(host.pressure, Some(Pressure { avg10: 9.28, avg60: 3.73 }));
        assert_eq!(host.container, None);
        assert!(host.captured_at.ends_with('Z'));
    }

    #[test]
    fn nothing_is_known_of_an_empty_machine() {
        let (_folder, root) = Root::made_of(&[]);
        let host = host(&root);
        assert_eq!((host.name, host.memory, host.load, host.pressure), (None, Memory::default(), None, None));
    }

    #[test]
    fn does_not_guess_at_unknown_formats() {
        assert_eq!(load("1.0 2.0"), None);
        assert_eq!(load("a b c"), None);
        assert_eq!(pressure("full avg10=0.00 avg60=0.00"), None);
        assert_eq!(pressure("some avg10=x avg60=0.00"), None);
        assert_eq!(memory("MemTotal: many"), Memory::default());
    }

    #[test]
    fn detects_container_runtimes_by_their_files() {
        type Files<'a> = &'a [(&'a str, &'a str)];
        let cases: [(Files, Option<&str>); 9] = [
            (&[(".dockerenv", "")], Some("docker")),
            (&[("run/.containerenv", "engine=\"podman-5.2\"\n")], Some("podman")),
            (&[(".dockerenv", ""), ("run/secrets/kubernetes.io/token", "t")], Some("kubernetes")),
            (&[("run/systemd/container", "lxc\n")], Some("lxc")),
            (&[("proc/1/environ", "HOME=/\0container=systemd-nspawn\0")], Some("systemd-nspawn")),
            (&[("proc/1/cgroup", "4:cpu:/docker/0123abcd\n0::/docker/0123abcd\n")], Some("docker")),
            (&[("proc/1/cgroup", "0::/kubepods/besteffort/pod1\n")], Some("kubernetes")),
            (&[("proc/sys/kernel/osrelease", "5.15.153.1-microsoft-standard-WSL2\n")], Some("wsl")),
            (&[("proc/1/cgroup", "0::/init.scope\n")], None),
        ];
        for (files, expected) in cases {
            let (_folder, root) = Root::made_of(files);
            assert_eq!(container(&root).as_deref(), expected, "{files:?}");
        }
    }
}
