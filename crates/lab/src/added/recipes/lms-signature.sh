# Builds a worker for lms-signature in cargo's release profile.
source "$WORKERS/rust/build.sh" lms-signature
