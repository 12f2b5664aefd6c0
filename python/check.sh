#!/bin/sh
# check.sh BUILD FOLDER [OPTION OF PYTEST...]: makes the source distribution and the wheel with the libraries that CMake has
# built in BUILD, installs the wheel in a virtual environment in FOLDER, and runs the tests and the notebooks there. Uses
# packages of the system only.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
MSD_BUILD=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
export MSD_BUILD

# Debian's Python, which has Debian's packages, even if another one is first in PATH.
python=/usr/bin/python3
[ -x $python ] || python=python3

rm -rf "$folder/dist"
$python -m venv --system-site-packages "$folder/venv"
# The long log of the build is shown on failure only.
"$folder/venv/bin/python" -m build --no-isolation --outdir "$folder/dist" "$here" >"$folder/build.log" 2>&1 ||
  { cat "$folder/build.log" && exit 1; }
"$folder/venv/bin/pip" install -q --no-index --no-deps --force-reinstall "$folder"/dist/*.whl
echo "python: $(basename "$folder"/dist/*.whl) is installed in $folder/venv"

# Checks the style (.flake8).
! command -v flake8 >/dev/null || (cd "$here" && flake8 .)

# Runs in the folder of the tests, so that they import the installed package.
MSD_ROOT=$(dirname "$here") MSD_DIST=$folder/dist
export MSD_ROOT MSD_DIST
cd "$here/tests"
exec "$folder/venv/bin/python" -m pytest -q -p no:cacheprovider "$@" .
