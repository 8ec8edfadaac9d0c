# Builds a worker for hqc-kem in cargo's release profile.
source "$WORKERS/rust/build.sh" hqc-kem
