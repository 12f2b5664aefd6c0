#!/bin/sh
# check.sh BUILD FOLDER [OPTION OF PYTEST...]: makes the source distribution and the wheel with what CMake has built in
# BUILD, installs the wheel in a virtual environment in FOLDER, and runs the tests and the notebooks with that.
# No package comes from anywhere but the system.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
MSD_BUILD=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
export MSD_BUILD

# Debian's Python, which has Debian's packages, wherever another one stands first in the path.
python=/usr/bin/python3
[ -x $python ] || python=python3

rm -rf "$folder/dist"
$python -m venv --system-site-packages "$folder/venv"
# Build's own log is long; it is shown where something goes wrong.
"$folder/venv/bin/python" -m build --no-isolation --outdir "$folder/dist" "$here" >"$folder/build.log" 2>&1 ||
  { cat "$folder/build.log" && exit 1; }
"$folder/venv/bin/pip" install -q --no-index --no-deps --force-reinstall "$folder"/dist/*.whl
echo "python: $(basename "$folder"/dist/*.whl) is installed in $folder/venv"

# One style of Python, as far as a program can tell (.flake8).
! command -v flake8 >/dev/null || (cd "$here" && flake8 .)

# From the folder of the tests, so that the installed package is what they import.
MSD_ROOT=$(dirname "$here") MSD_DIST=$folder/dist
export MSD_ROOT MSD_DIST
cd "$here/tests"
exec "$folder/venv/bin/python" -m pytest -q -p no:cacheprovider "$@" .
