#!/bin/sh
# test_beside.sh BESIDE FOLDER: lists of commands that run beside each other, where all succeed, where one fails, and where
# all are told to end.
set -u
beside=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder" || exit 1
command -v setsid >/dev/null && command -v flock >/dev/null || { echo "skipped: no setsid or flock" && exit 0; }

fail() {
  echo "test_beside.sh: $*" >&2
  cat said >&2
  exit 1
}

# Whether a process goes on; what has ended may still be in the list, as a zombie.
runs() {
  grep -qs ') [^Z]' "/proc/$1/stat"
}

# Of each command two lines together, though both write at once.
"$beside" "echo a; sleep 0.3; echo a
echo b; sleep 0.3; echo b" "echo c; sleep 0.3; echo c
echo d; sleep 0.3; echo d" >said 2>&1 || fail "commands that succeed fail"
[ "$(grep -v '^ci: ' said | uniq -c | tr -s ' ' | sort | tr -d '\n')" = " 2 a 2 b 2 c 2 d" ] ||
  fail "what commands say is not whole"
[ "$(grep -c '^ci: .* took [0-9]* s$' said)" -eq 4 ] || fail "it is not told what each took"

# Shells differ in what their echo makes of a backslash.
"$beside" "printf 'e\\nf\\n'" >said 2>&1 || fail "a command is not run as it is written"
[ "$(head -n 2 said | tr '\n' ' ')" = "e f " ] || fail "a command is not run as it is written"

# Whatever a command has started ends with it; what follows does not begin.
"$beside" 'while [ ! -s child ]; do sleep 0.1; done; echo bad >&2; exit 7
touch late' 'sh -c "sleep 600 & echo \$! >child; sleep 600"
touch later' >said 2>&1
[ $? -eq 7 ] || fail "the status is not that of the command that failed"
grep -q '^bad$' said && grep -q '^ci: while .* failed with status 7$' said || fail "it is not told what failed"
! runs "$(cat child)" || fail "what a command had started goes on"
[ ! -e late ] && [ ! -e later ] || fail "commands begin after one that failed"

rm child
"$beside" 'sleep 600 & echo $! >child; wait' 'sleep 600' >said 2>&1 &
while [ ! -s child ]; do sleep 0.1; done
kill $!
wait $!
[ $? -eq 143 ] || fail "it does not end when it is told to"
! runs "$(cat child)" || fail "commands go on when it was told to end"
