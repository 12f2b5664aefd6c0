#!/bin/sh
# test_dev.sh DEV FOLDER: when ./dev installs packages, with stand-ins for apt-get, dpkg-query, id and sudo, and the names
# of its commands.
set -eu
mkdir -p "$2"
cd "$2"
rm -rf tree bin
mkdir -p tree/tests/structure bin
cp "$1" tree/dev

# The command that ./dev format runs once its package is there.
printf '#!/bin/sh\necho formatted\n' >tree/tests/structure/check.sh

# apt-get records its calls and installs into the file `installed`; the user is $USER_ID.
cat >bin/apt-get <<'END'
#!/bin/sh
echo "apt-get $*" >>"$CALLS"
for word in "$@"; do echo "$word" >>"$INSTALLED"; done
END
cat >bin/dpkg-query <<'END'
#!/bin/sh
for package in "$@"; do :; done
! grep -qx -- "$package" "$INSTALLED" || echo installed
END
printf '#!/bin/sh\necho "$USER_ID"\n' >bin/id
printf '#!/bin/sh\necho "sudo $*" >>"$CALLS"\nexec "$@"\n' >bin/sudo
chmod +x bin/* tree/tests/structure/check.sh
PATH=$PWD/bin:$PATH CALLS=$PWD/calls INSTALLED=$PWD/installed USER_ID=1000
export PATH CALLS INSTALLED USER_ID
unset CI DEV_ASSUME_YES
status=0

# run WANTED COMMAND...: runs it where nothing is installed, with its output in `said`, and checks its exit status.
run() {
  wanted=$1 got=0
  shift
  : >calls
  : >installed
  "$@" >said 2>&1 || got=$?
  [ "$got" -eq "$wanted" ] || complain "$*: exit status $got instead of $wanted"
}

complain() {
  echo "$1" && cat calls said
  status=1
}

# installs NAME: the last run installed clang-format-14 and went on. leaves NAME: it installed nothing and stopped.
installs() {
  { grep -q 'apt-get .*install .*clang-format-14' calls && grep -q formatted said; } || complain "$1 does not install"
}
leaves() {
  { [ ! -s calls ] && ! grep -q formatted said && grep -q 'clang-format-14' said; } || complain "$1 does not stop"
}

# Without a terminal
run 2 tree/dev format </dev/null
leaves "a user without a terminal"
grep -q 'run: sudo apt-get install .*clang-format-14' said || complain "the command to install is missing"
run 0 env CI=true tree/dev format </dev/null
installs "CI=true"
grep -q '^sudo ' calls || complain "a user installs without sudo"
run 2 env CI=false tree/dev format </dev/null
leaves "CI=false"
run 0 tree/dev -y format </dev/null
installs "-y"
run 0 env USER_ID=0 tree/dev format </dev/null
installs "root without a terminal"
grep -q 'without a question' said || complain "root is not informed"
! grep -q '^sudo ' calls || complain "root installs with sudo"

# Nothing is missing
: >calls
echo clang-format-14 >installed
tree/dev format </dev/null >said 2>&1 || complain "an installed package: exit status $?"
[ ! -s calls ] || complain "an installed package is installed again"

# On a terminal, where there is a `script` that makes one
if echo | script -qec true /dev/null >/dev/null 2>&1; then
  # answered WANTED ANSWER COMMAND
  answered() {
    answer=$2 wanted=$1
    shift 2
    run "$wanted" sh -c "{ echo '$answer'; sleep 1; } | script -qec '$1' /dev/null"
  }
  answered 0 y 'tree/dev format'
  installs "the answer y"
  grep -q '\[y/N\]' said || complain "no question"
  for answer in n ''; do
    answered 2 "$answer" 'tree/dev format'
    leaves "the answer '$answer'"
  done
  answered 2 n 'env USER_ID=0 tree/dev format'
  leaves "root on a terminal who answers n"
  answered 0 n 'tree/dev -y format'
  installs "-y on a terminal"
  ! grep -q '\[y/N\]' said || complain "-y asks"
fi

# Names of commands
run 0 tree/dev help
[ "$(wc -l <said)" -le 60 ] || complain "the help is longer than 60 lines"
run 2 tree/dev no_such_command
grep -q "unknown command 'no_such_command'" said || complain "an unknown command is not named"
run 2 tree/dev bench no_such_name
grep -q "unknown measurement 'no_such_name'.* overhead .* threads" said || complain "an unknown measurement is not named"
run 2 tree/dev frames
grep -q "'./dev bench frames'" said || complain "no hint at a measurement"
exit $status
