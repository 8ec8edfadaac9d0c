# Builds a worker for sqisign-rs in the profile that its authors measure.
export CARGO_PROFILE_RELEASE_LTO=fat CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1
source "$WORKERS/rust/build.sh" sqisign-rs
