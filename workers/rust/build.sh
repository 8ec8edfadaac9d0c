# Builds the worker for a Rust library into "$PREFIX/bin". A recipe's script sources this file and names the library's
# crate, which is also the name of the worker. The lock file pins the crate and its dependencies.
crate=$1
cp -R "$WORKERS/rust/." "$BUILD"
arguments=(--release --bin "$crate" --features "$crate" --target-dir "$BUILD/target" --jobs "$JOBS")
origin=""
if [[ -e $SOURCE/.cargo-ok ]]; then
    # cargo unpacked this folder, and pqlab compared its checksum with the recipe's, which is that in the lock file.
    arguments+=(--locked)
else
    # A checkout replaces the crate. The dependencies keep their versions as far as the checkout permits.
    printf '\n[patch.crates-io]\n%s = { path = "%s" }\n' "$crate" "$SOURCE" >>Cargo.toml
    cargo update --quiet "$crate"
    if grep -q '^\[\[patch\.unused\]\]' Cargo.lock; then
        echo "error: the worker needs another version of $crate than the one in $SOURCE"
        exit 1
    fi
    if [[ -e $SOURCE/.git || -e $SOURCE/../.git ]]; then
        origin=", $(git -C "$SOURCE" describe --tags --always --dirty)"
    fi
fi
version=$(sed -n "/^name = \"$crate\"$/{n;s/^version = \"\(.*\)\"$/\1/p}" Cargo.lock)
PQLAB_COMPILER=$(rustc --version) PQLAB_LIBRARY="$crate $version$origin" cargo build "${arguments[@]}"
mkdir -p "$PREFIX/bin"
cp "target/release/$crate" "$PREFIX/bin/$crate"

flags="cargo's release profile"
for variable in RUSTFLAGS CARGO_PROFILE_RELEASE_LTO CARGO_PROFILE_RELEASE_CODEGEN_UNITS; do
    if [[ -n ${!variable:-} ]]; then flags+=", $variable=${!variable}"; fi
done
printf 'flags=%s\n' "$flags"
printf 'version=%s\n' "$("$PREFIX/bin/$crate" --version)"
