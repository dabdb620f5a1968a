#!/bin/sh
# The one list of Debian packages that Tendril needs, and their installation.
#
#   deploy/packages.sh --build          what building and running needs
#   deploy/packages.sh --build --test   and what tests/run.sh needs
#   deploy/packages.sh --run            what an installed server needs at run time (container image)
#   deploy/packages.sh --cross          what tests/aarch64.sh needs beside --build
#   deploy/packages.sh --list --build   only prints the names
#
# Says nothing when nothing is missing. Otherwise it needs root, or sudo.
set -eu

run_packages="libmicrohttpd12 libjansson4 libsqlite3-0 libpq5 libprotobuf-c1 libgrpc29 libnettle8 libseccomp2 libgnutls30 libsundials-sunlinsol3 libsundials-sunmatrix4
  libsundials-nvecserial6 libsundials-cvode6 libsundials-ida6 libopenblas0-serial libnlopt0 libcurl4 libcairo2 libhdf5-103-1 libhdf5-hl-100 libmatio11 zlib1g libexpat1"

# openblas: the serial variant, because one worker process per core is all the parallelism there is.
build_packages="gcc libc6-dev cmake ninja-build pkg-config libmicrohttpd-dev libjansson-dev libsqlite3-dev libpq-dev libprotobuf-c-dev
  protobuf-c-compiler protobuf-compiler libgrpc-dev nettle-dev libseccomp-dev libgnutls28-dev libsundials-dev libopenblas-serial-dev libnlopt-dev libcurl4-openssl-dev libcairo2-dev
  libhdf5-dev libmatio-dev zlib1g-dev libexpat1-dev libcminpack-dev check python3 python3-yaml nodejs npm"

# libhdf5, libmatio: `tendril export`. octave reads what it writes, and with curl runs clients/matlab.
# nodejs, npm: the dashboard (without them the server is built without it) and the test with @grpc/grpc-js. chromium:
# its tests. ffmpeg: films of `tendril plot`. libomp-dev: the CMake files of SUNDIALS look for OpenMP, which clang (for the fuzz targets) does not bring
# along.
test_packages="chromium ffmpeg python3-numpy python3-pil python3-matplotlib python3-scipy python3-torch python3-h5py octave curl python3-jsonschema python3-grpcio python3-protobuf protobuf-compiler-grpc openssl clang lld
  libclang-rt-14-dev libomp-dev clang-format git procps faketime systemd mmdebstrap postgresql-15 pgbouncer prometheus slurmctld slurmd slurm-client munge"

cross_packages="gcc-aarch64-linux-gnu qemu-user-static mmdebstrap"

usage() {
  sed -n '2,10s/^# \{0,1\}//p' "$0"
}

wanted=""
list=no
for word in "$@"; do
  case $word in
  --build) wanted="$wanted $build_packages" ;;
  --test) wanted="$wanted $test_packages" ;;
  --run) wanted="$wanted $run_packages" ;;
  --cross) wanted="$wanted $cross_packages" ;;
  --list) list=yes ;;
  -h | --help) usage && exit 0 ;;
  *) echo "packages.sh: unknown option '$word'" >&2 && usage >&2 && exit 2 ;;
  esac
done
[ -n "$wanted" ] || wanted=$build_packages

if [ $list = yes ]; then
  for package in $wanted; do echo "$package"; done
  exit 0
fi

if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
  echo "packages.sh: this is not a Debian system; install the equivalents of:" >&2
  # shellcheck disable=SC2086
  echo $wanted >&2
  exit 1
fi

missing=""
for package in $wanted; do
  case $package in # from elsewhere than Debian is as good, and conflicts with Debian's
  nodejs | npm) command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 && continue ;;
  esac
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "packages.sh: packages are missing and this user may not install them. As root:" >&2
    echo "  apt-get install --no-install-recommends$missing" >&2
    exit 1
  fi
  as_root="sudo"
fi

echo "installing:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  # shellcheck disable=SC2086
  if ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1; then
    tail -n 25 "$log" >&2
    echo "packages.sh: 'apt-get $*' failed (above). Is the network up, and is this Debian 12?" >&2
    exit 1
  fi
}
apt update
# shellcheck disable=SC2086
apt install -y --no-install-recommends $missing
