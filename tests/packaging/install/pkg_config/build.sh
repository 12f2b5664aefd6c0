#!/bin/sh
# build.sh COMPILER PROGRAM [--static]: what a project without CMake types.
set -eu
"$1" "$(dirname "$0")/../../../../examples/hello.c" $(pkg-config ${3-} --cflags --libs msd) -o "$2"
