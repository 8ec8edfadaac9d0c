use super::root::Root;
use pqlab_record::OperatingSystem;

pub(super) fn operating_system(root: &Root) -> OperatingSystem {
    OperatingSystem {
        name: name(root).unwrap_or_else(|| std::env::consts::OS.to_owned()),
        kernel: root.text("proc/sys/kernel/osrelease").unwrap_or_default(),
        aslr: root.number("proc/sys/kernel/randomize_va_space"),
        perf_event_paranoid: root.number("proc/sys/kernel/perf_event_paranoid"),
        unpinned: None,
        crowded: None,
    }
}

/// Returns the system's name from os-release(5), which is in `/usr/lib` on systems with an empty `/etc`.
fn name(root: &Root) -> Option<String> {
    let text = root.text("etc/os-release").or_else(|| root.text("usr/lib/os-release"))?;
    let value = |key: &str| -> Option<String> {
        let quoted = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='))?;
        Some(quoted.trim().trim_matches(|character| character == '"' || character == '\'').to_owned())
    };
    value("PRETTY_NAME").or_else(|| value("NAME"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_read_from_its_files() {
        let (_folder, root) = Root::made_of(&[
            (
                "etc/os-release",
                "NAME=\"Debian GNU/Linux\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n",
            ),
            ("proc/sys/kernel/osrelease", "6.18.44\n"),
            ("proc/sys/kernel/randomize_va_space", "2\n"),
            ("proc/sys/kernel/perf_event_paranoid", "-1\n"),
        ]);
        let expected = OperatingSystem {
            name: "Debian GNU/Linux 12 (bookworm)".into(),
            kernel: "6.18.44".into(),
            aslr: Some(2),
            perf_event_paranoid: Some(-1),
            unpinned: None,
            crowded: None,
        };
        assert_eq!(operating_system(&root), expected);
    }

    #[test]
    fn a_system_without_files_has_its_family_name() {
        let (_folder, root) = Root::made_of(&[("usr/lib/os-release", "NAME=Fedora\n")]);
        assert_eq!(name(&root).as_deref(), Some("Fedora"));
        let (_folder, root) = Root::made_of(&[]);
        assert_eq!(operating_system(&root).name, std::env::consts::OS);
        assert_eq!(operating_system(&root).aslr, None);
    }
}
