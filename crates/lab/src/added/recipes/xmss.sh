# Builds a worker for xmss in cargo's release profile.
source "$WORKERS/rust/build.sh" xmss
