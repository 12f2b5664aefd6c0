#!/bin/sh
# test_contact_arguments.sh CONTACT SCENES REST: what these programs refuse, and that a little of each passes.
set -eu
contact=$1 scenes=$2 rest=$3

expect() {
  wanted=$1
  shift
  status=0
  "$@" >/dev/null 2>&1 || status=$?
  [ $status = "$wanted" ] || {
    echo "exit status $status in place of $wanted: $*"
    exit 1
  }
}

for program in "$contact" "$scenes" "$rest"; do
  expect 2 "$program" 0
  expect 2 "$program" -1
  expect 2 "$program" 1s
  expect 2 "$program" 1 1
  expect 2 "$program" 1 1001
  expect 2 "$program" 1 25x
  expect 2 "$program" 1 2 3 4 5 6 7 8 9 10
done
expect 2 "$contact" 1 25 drapes
expect 2 "$scenes" 0.01 5 no_such_scene
expect 2 "$scenes" 0.01 drape 5
expect 2 "$rest" 1 10 20 30
expect 2 "$rest" 1 10 1
expect 0 "$contact" 0.01 5
expect 0 "$scenes" 0.01 20
expect 0 "$rest" 0.1 3
expect 0 "$rest" 0.1 3 40
