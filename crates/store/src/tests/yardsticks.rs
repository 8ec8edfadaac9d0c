use super::{header, new_store};
use crate::StoreError;
use pqlab_record::{Environment, MachineNoise};

#[test]
fn a_baseline_is_found_by_its_name() {
    let (_folder, mut store) = new_store();
    for id in ["one", "two"] {
        store.begin_run(&header(id, 1)).unwrap();
    }
    store.save_baseline("release-1.0", "one").unwrap();
    assert_eq!(store.resolve("release-1.0").unwrap(), "one");
    store.save_baseline("release-1.0", "two").unwrap();
    assert_eq!(store.baseline("release-1.0").unwrap().as_deref(), Some("two"));
    assert_eq!(store.baseline("release").unwrap(), None);
    for name in ["", "last", "last~1", "a b", "ä", "x/y"] {
        assert!(matches!(store.save_baseline(name, "one"), Err(StoreError::BadName { .. })), "{name}");
    }
    assert!(matches!(store.save_baseline("other", "three"), Err(StoreError::UnknownRun { .. })));
    store.delete_run("two").unwrap();
    assert_eq!(store.baseline("release-1.0").unwrap(), None, "deleting a run must delete its names");
}

#[test]
fn the_newest_noise_of_a_machine_counts() {
    let (_folder, mut store) = new_store();
    let mut environment = Environment::default();
    environment.cpu.model = "Example CPU".into();
    assert_eq!(store.noise(&environment).unwrap(), None);
    let noise = MachineNoise {
        host: None,
        cpu: "Example CPU".into(),
        measured_at: "2026-11-21T19:00:00Z".into(),
        case: "kem/ML-KEM-768/decapsulate@liboqs".into(),
        comparisons: 20,
        false_verdicts: 0,
        run_spread_pct: 0.1 + 0.2,
        run_spread_cycles_pct: Some(0.1),
        margin_pct: 1.5,
        smallest_difference_pct: 2.5,
    };
    store.save_noise(&noise).unwrap();
    let newer = MachineNoise { margin_pct: 1.0 / 3.0, ..noise.clone() };
    store.save_noise(&newer).unwrap();
    store.save_noise(&MachineNoise { host: Some("elsewhere".into()), ..noise }).unwrap();
    assert_eq!(store.noise(&environment).unwrap(), Some(newer));
}
