# Builds a worker for sntrup in cargo's release profile.
source "$WORKERS/rust/build.sh" sntrup
