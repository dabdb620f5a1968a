#!/bin/sh
# Runs every fuzz target for some seconds (default 60), starting from its seeds; what it finds stays in
# build/fuzz/corpus.
#
#   tests/fuzz/run.sh [SECONDS] [TARGET…]
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-60}
[ $# -gt 0 ] && shift
targets=${*:-$(find tests/fuzz -name 'fuzz_*.c' | sed 's|.*/fuzz_||; s|\.c$||' | sort)}
cmake --preset fuzz >/dev/null
for target in $targets; do
  cmake --build --preset fuzz --target "fuzz_$target"
  mkdir -p "build/fuzz/corpus/$target"
  OPENBLAS_NUM_THREADS=1 build/fuzz/bin/"fuzz_$target" -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 \
    -max_len=8000 -print_final_stats=1 -artifact_prefix="build/fuzz/$target-" "build/fuzz/corpus/$target" \
    "tests/fuzz/seeds/$target"
done
