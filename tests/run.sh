#!/usr/bin/env bash
# Builds and tests everything: format, layering, then the tests with sanitizers (preset dev) and as released (a few long
# ones in one of both only: see LABELS in tests/CMakeLists.txt), and what threads share once more with the thread
# sanitizer. A test that fails beside others is tried once more alone; if it passes then, the summary names it as unsteady.
# What a sanitizer finds once is a failure.
#
#   tests/run.sh                    all of it, with a few rounds of faults
#   tests/run.sh --fuzz SECONDS     and each fuzz target for that long on a processor
#   tests/run.sh --only dev         one preset (dev or release)
#   tests/run.sh --faults ROUNDS    that many rounds of killing servers, nodes and workers while jobs run (200: an hour)
#
# Installs missing packages. Exit status 0 only when everything passed.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
presets="dev release"
fuzz_seconds=0
failures=()
unsteady=()
jobs=$(nproc)

usage() { sed -n '2,12s/^# \{0,1\}//p' tests/run.sh; }
while [ $# -gt 0 ]; do
  case $1 in
  --fuzz) fuzz_seconds=${2:?--fuzz needs seconds} && shift ;;
  --only) presets=${2:?--only needs a preset} && shift ;;
  --faults) export TENDRIL_FAULT_ROUNDS=${2:?--faults needs a number of rounds} && shift ;;
  -h | --help) usage && exit 0 ;;
  *) usage >&2 && exit 2 ;;
  esac
  shift
done

step() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }
note() { failures+=("$*") && printf 'FAILED: %s\n' "$*" >&2; }

format() {
  find engine server clients/c tests -name '*.[ch]' -print0 | xargs -0 -n 40 clang-format --dry-run -Werror 2>&1 |
    grep -E '(error|warning):' | sed 's/:.*//' | sort -u | paste -sd' ' || true
}

# build PRESET [TARGET…]
build() {
  local preset=$1 log=build/$1.log
  shift
  mkdir -p build
  cmake --preset "$preset" >"$log" 2>&1 && cmake --build --preset "$preset" -j "$jobs" ${*:+--target "$@"} >>"$log" 2>&1 ||
    { grep -nE '(error|warning): |FAILED: |undefined reference|multiple definition' "$log" | head -n 40 >&2 || tail -n 40 "$log" >&2; return 1; }
}

# build_in_order: all that is tested, one after the other, and what is fuzzed, behind the tests: those wait much of the
# time, for leases to run out, for what was killed to come back. `ready PRESET` waits for one and tells whether it was built.
built() { build "$@" && echo built >"build/$1.end" || echo failed >"build/$1.end"; }
build_in_order() {
  local preset
  renice -n 19 -p "$BASHPID" >/dev/null
  for preset in $presets; do built "$preset"; done
  # shellcheck disable=SC2086
  built tsan tendrild tendril-worker $threaded
  [ "$fuzz_seconds" -gt 0 ] || return 0
  # shellcheck disable=SC2046
  built fuzz $(fuzz_targets)
  [ "$(cat build/fuzz.end)" != built ] || run_fuzzers
}
ready() {
  while [ ! -s "build/$1.end" ]; do
    kill -0 "$builder" 2>/dev/null || return 1
    sleep 0.5
  done
  [ "$(cat "build/$1.end")" = built ]
}

# check PRESET ARGUMENTS-OF-CTEST…: the tests, several at a time; then those that failed, one at a time, unless a
# sanitizer has found something.
check() {
  local preset=$1 folder=build/$1/Testing/Temporary names
  shift
  rm -f "$folder/LastTestsFailed.log"
  ctest --test-dir "build/$preset" "$@" --output-on-failure --no-tests=error && return 0
  if [ ! -s "$folder/LastTestsFailed.log" ] || grep -qE '(Address|Leak|Thread|UndefinedBehavior)Sanitizer|runtime error:' "$folder/LastTest.log"; then
    note "ctest $preset" && return 0
  fi
  mapfile -t names < <(sed 's/^[0-9]*://' "$folder/LastTestsFailed.log")
  cp "$folder/LastTest.log" "build/$preset/first-failures.log"
  step "once more, alone: ${names[*]}"
  ctest --test-dir "build/$preset" --rerun-failed --output-on-failure && unsteady+=("${names[@]}") && return 0
  note "ctest $preset"
}

# One fuzz target from its seeds, for so many seconds of a processor, however busy that is; what it finds stays in
# build/fuzz. Exit status 1 when it found something.
fuzz() {
  local name=$1 seeds=tests/fuzz/seeds/${1#fuzz_} most running ticks
  mkdir -p "build/fuzz/corpus/$name" "$seeds"
  build/fuzz/bin/"$name" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="build/fuzz/$name-" \
    "build/fuzz/corpus/$name" "$seeds" >"build/fuzz/$name.log" 2>&1 &
  running=$!
  most=$((fuzz_seconds * $(getconf CLK_TCK)))
  while ticks=$(awk '{print $14 + $15}' "/proc/$running/stat" 2>/dev/null) && [ "${ticks:-$most}" -lt "$most" ]; do sleep 0.5; done
  kill -USR1 "$running" 2>/dev/null || true # it ends after what it is at
  wait "$running"
}

fuzz_targets() { find tests/fuzz -name 'fuzz_*.c' -printf '%f\n' | sed 's/\.c$//' | sort; }

# Every tests/fuzz/fuzz_NAME.c, as many at a time as there are cores.
run_fuzzers() {
  export -f fuzz
  fuzz_targets | fuzz_seconds=$fuzz_seconds xargs -P "$jobs" -I NAME bash -c 'fuzz NAME && touch build/fuzz/NAME.passed' || true
}

# What came of them. An input that took too long beside others is tried once more alone.
report_fuzzers() {
  local name slow
  for name in $(fuzz_targets); do
    sed -n "s/^stat::number_of_executed_units: */$name: runs /p" "build/fuzz/$name.log"
    [ ! -e "build/fuzz/$name.passed" ] || continue
    slow=$(sed -n 's/^.*Test unit written to \(.*-timeout-.*\)$/\1/p' "build/fuzz/$name.log")
    if [ -n "$slow" ] && build/fuzz/bin/"$name" -timeout=10 "$slow" >"build/fuzz/$name.alone.log" 2>&1; then
      unsteady+=("$name")
    else
      note "$name" && tail -n 40 "build/fuzz/$name.log" >&2
    fi
  done
}

step "packages"
deploy/packages.sh --build --test
step "format"
unformatted=$(format)
[ -z "$unformatted" ] || note "clang-format wants changes: $unformatted"
step "layering"
/usr/bin/python3 -B tests/api/test_includes.py || note "tests/api/test_includes.py"

threaded="test_store test_model_cache test_auth"
mkdir -p build
rm -f build/*.end build/fuzz/*.passed
build_in_order &
builder=$!

for preset in $presets; do
  step "build $preset"
  ready "$preset" || { note "build $preset" && continue; }
  step "test $preset"
  # with both presets each long test runs in one of them; with one preset, everything does
  case "$presets/$preset" in
  "dev release/dev") others=released ;;
  "dev release/release") others=sanitized ;;
  *) others=none ;;
  esac
  # places: many tests wait for leases, answers and browsers; while the builds go on behind, these take what is left over
  check "$preset" -LE "^$others\$" -j "$((2 * jobs + 1))"
done

step "races"
if ready tsan; then
  check tsan -R "^(test_races|${threaded// /|})\$"
else
  note "build tsan"
fi

if [ "$fuzz_seconds" -gt 0 ]; then
  step "fuzz, $fuzz_seconds s of a processor each"
  if ready fuzz; then wait "$builder" || true && report_fuzzers; else note "build fuzz"; fi
fi

step "summary"
[ ${#unsteady[@]} -eq 0 ] || printf 'unsteady, failed beside others and passed alone (see build/PRESET/first-failures.log): %s\n' "${unsteady[@]}"
if [ ${#failures[@]} -gt 0 ]; then
  printf 'failed: %s\n' "${failures[@]}" >&2
  exit 1
fi
echo "everything passed"
