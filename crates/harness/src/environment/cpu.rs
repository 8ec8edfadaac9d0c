use super::root::Root;
use pqlab_record::{Cache, Cpu, CpuNumbers, Virtualization};

/// Kernel names of the instruction-set extensions that determine which code cryptographic libraries run. They cover
/// vectors, carry-less and wide multiplication, AES, SHA-2, SHA-3 and random number generators.
const FEATURES: [&str; 44] = [
    // x86.
    "sse2",
    "ssse3",
    "sse4_1",
    "sse4_2",
    "avx",
    "avx2",
    "avx512f",
    "avx512bw",
    "avx512dq",
    "avx512vl",
    "avx512ifma",
    "avx512vbmi",
    "avx512_vbmi2",
    "avx_ifma",
    "avx10",
    "bmi1",
    "bmi2",
    "adx",
    "movbe",
    "aes",
    "vaes",
    "pclmulqdq",
    "vpclmulqdq",
    "gfni",
    "sha_ni",
    "sha512",
    "rdrand",
    "rdseed",
    // Arm. `aes` is already listed above: Linux uses the same name on x86.
    "asimd",
    "asimddp",
    "asimdrdm",
    "pmull",
    "sha1",
    "sha2",
    "sha3",
    "sve",
    "sve2",
    "svesha3",
    "sveaes",
    "i8mm",
    "dit",
    "atomics",
    "rng",
    "sme",
];

/// Describes the processor. If `on_this_machine` is `false`, the files are simulated, and the function does not query
/// the processor itself.
pub(super) fn cpu(root: &Root, allowed: &[u32], on_this_machine: bool) -> Cpu {
    let info = root.text("proc/cpuinfo").unwrap_or_default();
    let flags = field(&info, "flags").or_else(|| field(&info, "Features")).unwrap_or_default();
    let from_cpuid = if on_this_machine { hypervisor_by_cpuid() } else { None };
    let hypervisor = from_cpuid.or_else(|| hypervisor(root));
    let hidden = if on_this_machine { pqlab_cpu::hidden().unwrap_or_default() } else { &[] };
    let is_recorded = |flag: &str| FEATURES.contains(&flag) && !hidden.iter().any(|feature| feature.has_flag(flag));
    let clocksource = root.text("sys/devices/system/clocksource/clocksource0/current_clocksource");
    Cpu {
        model: model(&info, root),
        numbers: numbers(&info),
        architecture: std::env::consts::ARCH.to_owned(),
        cores: allowed.len() as u32,
        features: flags.split_ascii_whitespace().filter(|flag| is_recorded(flag)).map(str::to_owned).collect(),
        hidden_features: hidden.iter().map(|feature| feature.name().to_owned()).collect(),
        microcode: field(&info, "microcode").map(str::to_owned),
        caches: caches(root),
        governor: governor(root, allowed),
        turbo: turbo(root),
        smt: root.number::<u8>("sys/devices/system/cpu/smt/active").map(|active| active != 0),
        virtualized: virtualized(&info, flags, hypervisor.is_some()),
        virtualization: (hypervisor.is_some() || clocksource.is_some())
            .then_some(Virtualization { hypervisor, clocksource }),
    }
}

/// Returns the first non-empty value of `key` in `/proc/cpuinfo`.
fn field<'a>(info: &'a str, key: &str) -> Option<&'a str> {
    info.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key && !value.trim().is_empty()).then(|| value.trim())
    })
}

/// Returns family, model and stepping, which the kernel lists for x86 only.
fn numbers(info: &str) -> Option<CpuNumbers> {
    let number = |key: &str| field(info, key)?.parse().ok();
    Some(CpuNumbers { family: number("cpu family")?, model: number("model")?, stepping: number("stepping")? })
}

fn model(info: &str, root: &Root) -> String {
    if let Some(name) = field(info, "model name") {
        return name.to_owned();
    }
    let core = field(info, "CPU implementer").zip(field(info, "CPU part")).map(|(implementer, part)| {
        arm_core(implementer, part).map_or_else(|| format!("Arm core {implementer}:{part}"), str::to_owned)
    });
    let board = root.text("proc/device-tree/model");
    let other = || field(info, "cpu model").or_else(|| field(info, "uarch")).or_else(|| field(info, "cpu"));
    match (core, board) {
        (Some(core), Some(board)) => format!("{core} ({board})"),
        (Some(name), None) | (None, Some(name)) => name,
        (None, None) => other().unwrap_or("unknown").to_owned(),
    }
}

/// Returns the name of a core, given the implementer and part number in `MIDR_EL1`, which Arm kernels report instead of
/// a name. Covers server cores and common boards; `None` for all others.
fn arm_core(implementer: &str, part: &str) -> Option<&'static str> {
    Some(match (implementer, part) {
        ("0x41", "0xd03") => "Cortex-A53",
        ("0x41", "0xd05") => "Cortex-A55",
        ("0x41", "0xd07") => "Cortex-A57",
        ("0x41", "0xd08") => "Cortex-A72",
        ("0x41", "0xd0b") => "Cortex-A76",
        ("0x41", "0xd0c") => "Neoverse N1",
        ("0x41", "0xd40") => "Neoverse V1",
        ("0x41", "0xd49") => "Neoverse N2",
        ("0x41", "0xd4f") => "Neoverse V2",
        ("0x41", "0xd83") => "Neoverse V3AE",
        ("0x41", "0xd84") => "Neoverse V3",
        ("0x41", "0xd8e") => "Neoverse N3",
        ("0x61", _) => "Apple silicon",
        ("0xc0", _) => "Ampere-1",
        _ => return None,
    })
}

pub(super) fn caches(root: &Root) -> Vec<Cache> {
    const FOLDER: &str = "sys/devices/system/cpu/cpu0/cache";
    let mut caches: Vec<Cache> = root
        .names(FOLDER)
        .iter()
        .filter(|name| name.starts_with("index"))
        .filter_map(|index| {
            let path = |file: &str| format!("{FOLDER}/{index}/{file}");
            Some(Cache {
                level: root.number(&path("level"))?,
                kind: root.text(&path("type"))?,
                size: bytes(&root.text(&path("size"))?)?,
                line: root.number(&path("coherency_line_size")),
            })
        })
        .collect();
    caches.sort_by(|a, b| (a.level, &a.kind).cmp(&(b.level, &b.kind)));
    caches
}

/// Parses a size in the kernel's notation, such as `32K`, `32M` or `64`, and returns it in bytes.
fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 1 << 10),
        b'M' => (&text[..text.len() - 1], 1 << 20),
        b'G' => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    Some(number.parse::<u64>().ok()? * unit)
}

/// Returns the distinct governors of the allowed processors, separated by commas.
fn governor(root: &Root, allowed: &[u32]) -> Option<String> {
    let mut governors: Vec<String> = allowed
        .iter()
        .filter_map(|cpu| root.text(&format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor")))
        .collect();
    governors.sort();
    governors.dedup();
    (!governors.is_empty()).then(|| governors.join(", "))
}

fn turbo(root: &Root) -> Option<bool> {
    let forbidden: Option<u8> = root.number("sys/devices/system/cpu/intel_pstate/no_turbo");
    let boosted: Option<u8> = root.number("sys/devices/system/cpu/cpufreq/boost");
    forbidden.map(|forbidden| forbidden == 0).or(boosted.map(|boosted| boosted != 0))
}

/// Returns whether this is a virtual machine. On x86, the `hypervisor` flag is set in every guest and nowhere else. On
/// other architectures, a hypervisor can be detected but not ruled out, so the result is `Some(true)` or `None`.
fn virtualized(info: &str, flags: &str, hypervisor: bool) -> Option<bool> {
    if hypervisor || flags.split_ascii_whitespace().any(|flag| flag == "hypervisor") {
        Some(true)
    } else if field(info, "flags").is_some() {
        Some(false)
    } else {
        None
    }
}

/// Returns the hypervisor's name from sysfs, the firmware tables or the device tree. `None` if they do not name one.
fn hypervisor(root: &Root) -> Option<String> {
    if let Some(kind) = root.text("sys/hypervisor/type") {
        return Some(if kind == "xen" { "Xen".to_owned() } else { kind });
    }
    let product = root.text("sys/class/dmi/id/product_name").unwrap_or_default();
    let vendor = root.text("sys/class/dmi/id/sys_vendor").unwrap_or_default();
    let tree = root.text("proc/device-tree/hypervisor/compatible").unwrap_or_default();
    let marks = [
        ("KVM", "KVM"),
        ("QEMU", "QEMU"),
        ("VMware", "VMware"),
        ("VirtualBox", "VirtualBox"),
        ("Parallels", "Parallels"),
        ("Google Compute Engine", "KVM"),
        ("Xen", "Xen"),
        ("BHYVE", "bhyve"),
        ("linux,kvm", "KVM"),
        ("xen,xen", "Xen"),
    ];
    let named = marks.iter().find(|(mark, _)| [&product, &vendor, &tree].iter().any(|text| text.contains(mark)));
    if let Some((_, name)) = named {
        return Some((*name).to_owned());
    }
    let hyper_v = vendor == "Microsoft Corporation" && product == "Virtual Machine";
    // Amazon's bare-metal instances are named `<type>.metal`.
    let nitro = vendor == "Amazon EC2" && !product.contains(".metal");
    if hyper_v {
        Some("Hyper-V".to_owned())
    } else if nitro {
        Some("KVM".to_owned())
    } else {
        None
    }
}

/// Returns the hypervisor's name from CPUID leaf 0x4000_0000, which is reserved for hypervisors.
#[cfg(target_arch = "x86_64")]
fn hypervisor_by_cpuid() -> Option<String> {
    let cpuid = raw_cpuid::CpuId::new();
    Some(match cpuid.get_hypervisor_info()?.identify() {
        raw_cpuid::Hypervisor::HyperV => "Hyper-V".to_owned(),
        raw_cpuid::Hypervisor::Unknown(b, c, d) => {
            let letters: Vec<u8> = [b, c, d].iter().flat_map(|word| word.to_le_bytes()).collect();
            let name = String::from_utf8_lossy(&letters).trim_matches(['\0', ' ']).to_owned();
            if name.is_empty() { return None } else { name }
        }
        known => format!("{known:?}"),
    })
}

#[cfg(not(target_arch = "x86_64"))]
fn hypervisor_by_cpuid() -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: &[(&str, &str)] = &[
        (
            "proc/cpuinfo",
            "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: Example 9000\nstepping\t: 2\nmicrocode\t: 0xa20102b\npower management:\n\
             flags\t\t: fpu sse2 ssse3 avx2 aes pclmulqdq sha_ni adx bmi2\n\nprocessor\t: 1\nmodel name\t: Other\n",
        ),
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"),
        ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n"),
        ("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "performance\n"),
        ("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"),
        ("sys/devices/system/cpu/smt/active", "1\n"),
        ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
        ("sys/devices/system/cpu/cpu0/cache/index0/level", "1\n"),
        ("sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n"),
        ("sys/devices/system/cpu/cpu0/cache/index0/size", "32K\n"),
        ("sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size", "64\n"),
        ("sys/devices/system/cpu/cpu0/cache/index2/level", "3\n"),
        ("sys/devices/system/cpu/cpu0/cache/index2/type", "Unified\n"),
        ("sys/devices/system/cpu/cpu0/cache/index2/size", "32M\n"),
        ("sys/devices/system/cpu/cpu0/cache/index1/level", "1\n"),
    ];

    #[test]
    fn a_server_is_read_from_its_files() {
        let (_folder, root) = Root::made_of(SERVER);
        let cpu = cpu(&root, &[0, 1, 2], false);
        assert_eq!((cpu.model.as_str(), cpu.cores), ("Example 9000", 3));
        assert_eq!(cpu.features, ["sse2", "ssse3", "avx2", "aes", "pclmulqdq", "sha_ni", "adx", "bmi2"]);
        assert_eq!(cpu.numbers, Some(CpuNumbers { family: 25, model: 1, stepping: 2 }));
        assert_eq!(cpu.microcode.as_deref(), Some("0xa20102b"));
        assert_eq!(cpu.governor.as_deref(), Some("performance, powersave"));
        assert_eq!((cpu.turbo, cpu.smt, cpu.virtualized), (Some(false), Some(true), Some(false)));
        let expected = Virtualization { hypervisor: None, clocksource: Some("tsc".into()) };
        assert_eq!(cpu.virtualization, Some(expected));
        // `index1` is missing from the result, because its files are incomplete.
        let data = Cache { level: 1, kind: "Data".into(), size: 32 << 10, line: Some(64) };
        let shared = Cache { level: 3, kind: "Unified".into(), size: 32 << 20, line: None };
        assert_eq!(cpu.caches, [data, shared]);
    }

    #[test]
    fn nothing_is_known_of_an_empty_machine() {
        let (_folder, root) = Root::made_of(&[]);
        let cpu = cpu(&root, &[0], false);
        assert_eq!((cpu.model.as_str(), cpu.cores), ("unknown", 1));
        assert!(cpu.features.is_empty() && cpu.caches.is_empty());
        assert_eq!((cpu.governor, cpu.turbo, cpu.smt), (None, None, None));
        assert_eq!((cpu.virtualized, cpu.virtualization, cpu.microcode), (None, None, None));
    }

    #[test]
    fn an_arm_board_is_named_by_its_core() {
        let (_folder, root) = Root::made_of(&[
            (
                "proc/cpuinfo",
                "processor: 0\nFeatures : fp asimd aes pmull sha2\nCPU implementer : 0x41\nCPU part : 0xd08\n",
            ),
            ("proc/device-tree/model", "Raspberry Pi 4 Model B\0"),
        ]);
        let cpu = cpu(&root, &[0], false);
        assert_eq!(cpu.model, "Cortex-A72 (Raspberry Pi 4 Model B)");
        assert_eq!(cpu.features, ["asimd", "aes", "pmull", "sha2"]);
        assert_eq!(cpu.numbers, None);
        assert_eq!(cpu.virtualized, None);
        let (_folder, root) = Root::made_of(&[("proc/cpuinfo", "CPU implementer : 0x7f\nCPU part : 0x001\n")]);
        assert_eq!(super::cpu(&root, &[0], false).model, "Arm core 0x7f:0x001");
    }

    #[test]
    fn identifies_hypervisors_by_what_the_host_reports() {
        let of = |files: &[(&str, &str)]| {
            let (_folder, root) = Root::made_of(files);
            let cpu = cpu(&root, &[0], false);
            (cpu.virtualized, cpu.virtualization.and_then(|virtualization| virtualization.hypervisor))
        };
        assert_eq!(of(&[("proc/cpuinfo", "flags : sse2 hypervisor\n")]), (Some(true), None));
        assert_eq!(of(&[("sys/hypervisor/type", "xen\n")]), (Some(true), Some("Xen".into())));
        assert_eq!(of(&[("sys/class/dmi/id/product_name", "KVM Virtual Machine\n")]), (Some(true), Some("KVM".into())));
        let azure = [
            ("sys/class/dmi/id/sys_vendor", "Microsoft Corporation\n"),
            ("sys/class/dmi/id/product_name", "Virtual Machine\n"),
        ];
        assert_eq!(of(&azure), (Some(true), Some("Hyper-V".into())));
        let metal = [("sys/class/dmi/id/sys_vendor", "Amazon EC2\n"), ("sys/class/dmi/id/product_name", "c7g.metal\n")];
        assert_eq!(of(&metal), (None, None));
    }

    #[test]
    fn reads_boost_without_an_intel_driver() {
        let (_folder, root) = Root::made_of(&[("sys/devices/system/cpu/cpufreq/boost", "1\n")]);
        assert_eq!(turbo(&root), Some(true));
    }

    #[test]
    fn lengths_carry_units() {
        assert_eq!(bytes("32K"), Some(32_768));
        assert_eq!(bytes("1M"), Some(1_048_576));
        assert_eq!(bytes("64"), Some(64));
        assert_eq!(bytes("K"), None);
        assert_eq!(bytes(""), None);
    }
}
