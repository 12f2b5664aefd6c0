#!/bin/sh
# test_against.sh AGAINST FOLDER: the ratios that bench/against.sh makes of two programs that only say what was measured.
set -eu
against=$1
rm -rf "$2"
mkdir -p "$2"
cd "$2"

# program NAME HEADER ROW...: prints its rows; %s of a row is 1, 2, 3 ... microseconds, more by one each time.
program() {
  name=$1 header=$2
  shift 2
  {
    echo '#!/bin/sh'
    echo "n=\$(cat $PWD/$name.n 2>/dev/null || echo 0)"
    echo "n=\$((n + 1)); echo \$n >$PWD/$name.n"
    echo "echo \"\$*\" >>$PWD/$name.calls"
    echo "echo '$header'"
    for row in "$@"; do
      echo "printf '$row\\n' \$n"
    done
  } >"$name"
  chmod +x "$name"
}

expect() {
  grep -q "$1" out || {
    echo "no line '$1' in:"
    cat out
    exit 1
  }
}

# The columns stand elsewhere, and the old one has a case less. Rounds: 2/1, 4/2, 6/3; and 8/1, 8/2, 8/3.
program old network,threads,hash,seconds_per_substep 'cloth,1,aa,8e-6' 'rope,2,bb,%se-6'
program new network,seconds_per_substep,threads,hash 'cloth,%se-6,1,aa' 'rope,2e-6,2,cc' 'new one,1e-6,1,dd'
ROUNDS=3 "$against" "$PWD/old" "$PWD/new" --case x >out 2>err
expect '^cloth  *1  *8  *1  *4.000  *2.667  *8.000  *8.000  same$'
expect '^rope  *2  *1  *2  *1.000  *0.500  *1.500  *0.500  differs$'
[ "$(grep -c . out)" -eq 3 ]
[ "$(sort -u old.calls)" = "bench --csv --samples 3 --case x" ]

# Other programs that print such rows are asked for something else.
rm new.calls
ROUNDS=1 ASK='' "$against" "$PWD/old" "$PWD/new" 7 >out 2>err
[ "$(cat new.calls)" = 7 ]

# One that fails is no measurement.
printf '#!/bin/sh\nexit 3\n' >new
status=0
ROUNDS=1 "$against" "$PWD/old" "$PWD/new" >out 2>err || status=$?
[ "$status" -eq 1 ]
[ ! -s out ]
grep -q 'new bench failed' err
echo passed
