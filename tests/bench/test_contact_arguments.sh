#!/bin/sh
# test_contact_arguments.sh CONTACT SCENES PILE: invalid arguments are refused, and a short run of each program passes.
set -eu
contact=$1 scenes=$2 pile=$3

expect() {
  wanted=$1
  shift
  status=0
  "$@" >/dev/null 2>&1 || status=$?
  [ $status = "$wanted" ] || {
    echo "exit status $status instead of $wanted: $*"
    exit 1
  }
}

for program in "$contact" "$scenes" "$pile"; do
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
expect 2 "$pile" 1 10 20 30
expect 2 "$pile" 1 10 1
expect 0 "$contact" 0.01 5
expect 0 "$scenes" 0.01 20
expect 0 "$pile" 0.1 3
expect 0 "$pile" 0.1 3 40
