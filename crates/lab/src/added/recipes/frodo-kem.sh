# Builds a worker for frodo-kem in cargo's release profile.
source "$WORKERS/rust/build.sh" frodo-kem
