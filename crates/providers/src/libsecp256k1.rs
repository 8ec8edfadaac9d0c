pub(crate) fn providers() -> Vec<pqlab_primitives::Provider> {
    Vec::new()
}
