#!/usr/bin/env bash
# Builds everything for AArch64 (NEON: two lanes) on this machine and runs the engine's references and laws under qemu,
# where the same programs must pass. Not part of tests/run.sh: it takes about a quarter of an hour.
#
#   tests/aarch64.sh                 the programs of the list below
#   tests/aarch64.sh test_trees …    these
#
# Installs missing packages; what is built for AArch64 is built against Debian's packages unpacked in
# build/aarch64-root. Exit status 0 only when everything passed.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
case ${1:-} in
-h | --help) sed -n '2,9s/^# \{0,1\}//p' tests/aarch64.sh && exit 0 ;;
esac

# references, both routes, derivatives against differences, laws of every part; those that an emulator ends in minutes
laws="test_reference test_exact_statics test_water test_trees test_tree_derivatives test_tree_fd_derivatives test_two_ways
  test_loops test_closed_chains test_constraint_laws test_magnus_order test_se3 test_sections test_reduced_laws
  test_tendons_and_springs test_water_and_contact test_rubbing test_touching_bodies test_parameters test_step test_runs
  test_sensitivity test_same_bits"
# shellcheck disable=SC2206
programs=(${*:-$laws})

deploy/packages.sh --build --cross
export TENDRIL_SYSROOT=$PWD/build/aarch64-root
if [ ! -e "$TENDRIL_SYSROOT/.whole" ]; then
  echo "unpacking Debian's libraries for AArch64"
  rm -rf "$TENDRIL_SYSROOT" && mkdir -p build
  libraries=$(deploy/packages.sh --list --build | grep -E -- '-dev$|^check$' | paste -sd,)
  mmdebstrap --quiet --variant=extract --architectures=arm64 --include="$libraries" bookworm "$TENDRIL_SYSROOT"
  touch "$TENDRIL_SYSROOT/.whole"
fi

echo "building (build/aarch64.log)"
{ cmake --preset aarch64 && cmake --build --preset aarch64 -j "$(nproc)" --target tendrild tendril-worker tendril-cli "${programs[@]}"; } \
  >build/aarch64.log 2>&1 || { tail -n 40 build/aarch64.log >&2 && exit 1; }

failures=()
for program in "${programs[@]}"; do
  begun=$SECONDS
  CK_FORK=no CK_DEFAULT_TIMEOUT=0 OPENBLAS_NUM_THREADS=1 qemu-aarch64-static -L "$TENDRIL_SYSROOT" "build/aarch64/tests/$program" \
    >"build/aarch64/$program.log" 2>&1 && verdict=passed || { verdict=FAILED && failures+=("$program"); }
  echo "$program: $verdict, $((SECONDS - begun)) s"
  [ "$verdict" = passed ] || tail -n 20 "build/aarch64/$program.log" >&2
done
[ ${#failures[@]} -eq 0 ] || { echo "failed: ${failures[*]}" >&2 && exit 1; }
echo "everything passed"
