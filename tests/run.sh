#!/usr/bin/env bash
# Builds and tests everything: format, layering, then every test with sanitizers (preset dev) and as released.
#
#   tests/run.sh                    all of it but minutes of fault rounds
#   tests/run.sh --fuzz SECONDS     and each fuzz target for that long
#   tests/run.sh --only dev         one preset (dev or release)
#   tests/run.sh --faults           and minutes of killing servers and workers while jobs run
#
# Installs missing packages. Exit status 0 only when everything passed.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
presets="dev release"
fuzz_seconds=0
left_out="--label-exclude faults"
failures=()
jobs=$(nproc)

usage() { sed -n '2,9s/^# \{0,1\}//p' tests/run.sh; }
while [ $# -gt 0 ]; do
  case $1 in
  --fuzz) fuzz_seconds=${2:?--fuzz needs seconds} && shift ;;
  --only) presets=${2:?--only needs a preset} && shift ;;
  --faults) left_out="" ;;
  -h | --help) usage && exit 0 ;;
  *) usage >&2 && exit 2 ;;
  esac
  shift
done

step() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }
note() { failures+=("$*") && printf 'FAILED: %s\n' "$*" >&2; }

format() {
  find engine server clients/c tests -name '*.[ch]' -print0 | xargs -0 -n 40 clang-format --dry-run -Werror 2>&1 |
    grep -E '(error|warning):' | sed 's/:.*//' | sort | uniq -c || true
}

# build PRESET [TARGET…]
build() {
  local preset=$1 log=build/$1.log
  shift
  mkdir -p build
  cmake --preset "$preset" >"$log" 2>&1 && cmake --build --preset "$preset" -j "$jobs" ${*:+--target "$@"} >>"$log" 2>&1 ||
    { grep -nE '(error|warning): |FAILED: |undefined reference|multiple definition' "$log" | head -n 40 >&2 || tail -n 40 "$log" >&2; return 1; }
}

# Every tests/fuzz/fuzz_NAME.c, from its seeds; what it finds stays in build/fuzz.
run_fuzzers() {
  local targets name seeds
  targets=$(find tests/fuzz -name 'fuzz_*.c' -printf '%f\n' | sed 's/\.c$//' | sort)
  [ -n "$targets" ] || return 0
  # shellcheck disable=SC2086
  build fuzz $targets || { note "build fuzz" && return 0; }
  for name in $targets; do
    seeds=tests/fuzz/seeds/${name#fuzz_}
    mkdir -p "build/fuzz/corpus/$name" "$seeds"
    build/fuzz/bin/"$name" -max_total_time="$fuzz_seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
      -artifact_prefix="build/fuzz/$name-" "build/fuzz/corpus/$name" "$seeds" >"build/fuzz/$name.log" 2>&1 ||
      { note "$name" && tail -n 40 "build/fuzz/$name.log" >&2; }
    sed -n "s/^stat::number_of_executed_units: */$name: runs /p" "build/fuzz/$name.log"
  done
}

step "packages"
deploy/packages.sh --build --test
step "format"
unformatted=$(format)
[ -z "$unformatted" ] || { note "clang-format wants changes in these files:" && echo "$unformatted" >&2; }
step "layering"
/usr/bin/python3 -B tests/api/test_includes.py || note "tests/api/test_includes.py"

for preset in $presets; do
  step "build $preset"
  build "$preset" || { note "build $preset" && continue; }
  step "test $preset"
  # shellcheck disable=SC2086
  ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure --no-tests=error $left_out || note "ctest $preset"
done

if [ "$fuzz_seconds" -gt 0 ]; then
  step "fuzz, $fuzz_seconds s each"
  run_fuzzers
fi

step "summary"
if [ ${#failures[@]} -gt 0 ]; then
  printf 'failed: %s\n' "${failures[@]}" >&2
  exit 1
fi
echo "everything passed"
