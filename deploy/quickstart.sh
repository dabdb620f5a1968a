#!/usr/bin/env bash
# From a fresh Debian 12 machine to a picture: installs what is missing, builds, starts a server, lets it simulate the
# cable-driven manipulator for 10 s, and draws the result.
#
#   deploy/quickstart.sh            leaves result and picture in build/quickstart, stops the server
#   deploy/quickstart.sh --serve    the same, and keeps the server running until Ctrl-C
#   deploy/quickstart.sh --out DIR  another folder for the files
#
# May be run again, from any folder.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=$top/build/quickstart
serve=no
example=cdm
server=""

usage() { sed -n '2,9s/^# \{0,1\}//p' "$top/deploy/quickstart.sh"; }
step() { printf '\n== %s\n' "$*"; }
fail() {
  printf '\nquickstart: %s\n' "$*" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
  --serve) serve=yes ;;
  --out) [ $# -ge 2 ] || fail "--out needs a folder" && out=$(realpath -m "$2") && shift ;;
  -h | --help) usage && exit 0 ;;
  *) usage >&2 && fail "unknown option '$1'" ;;
  esac
  shift
done

stop_server() {
  [ -n "$server" ] || return 0
  kill -TERM "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  server=""
}
trap stop_server EXIT
trap 'exit 130' INT TERM

# Output goes to a log; its end is shown when the command fails.
quietly() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 || { tail -n 30 "$log" >&2 && return 1; }
}

build() {
  mkdir -p "$top/build" && cd "$top"
  quietly build/configure.log cmake --preset release ||
    fail "cmake could not configure (build/configure.log). If the folder was moved, remove build/release and run this again."
  quietly build/make.log cmake --build --preset release --target programs ||
    fail "the build failed (build/make.log holds everything)"
  sed -n '/the dashboard is left out/,/^Call Stack/{/^Call Stack/d;p}' build/make.log >&2
}

# Starts tendrild and waits for its ready line; sets $server and $url.
start_server() {
  local port=0 ready=$out/ready.json log=$out/tendrild.log
  [ $serve = yes ] && ! (exec 3<>/dev/tcp/127.0.0.1/8080) 2>/dev/null && port=8080
  rm -f "$ready" # a pipe would die with this script; a file is read by whoever wants it
  "$bin/tendrild" --data "$out/data" --http "127.0.0.1:$port" --grpc 127.0.0.1:0 >"$ready" 2>"$log" &
  server=$!
  for _ in $(seq 300); do
    address=$(sed -n 's/.*"http" *: *"\([^"]*\)".*/\1/p' "$ready")
    [ -z "$address" ] || break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  [ -n "$address" ] || { tail -n 5 "$log" >&2 && fail "the server did not start; its log is $log"; }
  url=http://$address
}

step "packages"
"$top/deploy/packages.sh" --build || fail "packages are missing, see above"
step "build (a minute or two the first time)"
build
bin=$top/build/release/bin
mkdir -p "$out"

step "server"
start_server
echo "tendrild serves $url, its data is in $out/data"

step "$example: the cable-driven manipulator, 10 s"
cd "$out"
export TENDRIL_URL=$url
"$bin/tendril" examples $example --force || fail "the example could not be written"
"$bin/tendril" models put $example.model.json || fail "the server did not take the model"
"$bin/tendril" run $example.job.json -o $example.npz || fail "the job did not succeed; the server's log is $out/tendrild.log"
"$bin/tendril" plot $example.npz -o $example.png || fail "the result could not be drawn"

step "done"
echo "result   $out/$example.npz"
echo "picture  $out/$example.png"
if [ $serve = yes ]; then
  echo "server   $url   is the dashboard (Ctrl-C stops the server)"
  echo "try      curl $url/v1/models/$example"
  wait "$server"
else
  echo "server   stopped; deploy/quickstart.sh --serve keeps it running"
fi
