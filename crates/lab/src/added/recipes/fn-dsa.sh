# Builds a worker for fn-dsa in cargo's release profile.
source "$WORKERS/rust/build.sh" fn-dsa
