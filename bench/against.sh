#!/bin/sh
# against.sh OLD NEW [OPTION...]: speed of NEW relative to OLD, two paths of msd. The options are those of msd bench. The
# environment variable ASK replaces "bench --csv --samples 3", for other programs that print rows with the same columns.
#
# Both measure the same cases alternately, in ROUNDS rounds of the environment, by default 5; the order changes from
# round to round. Each round gives the ratio old/new of the times, above 1 if NEW is faster. The table has their median,
# minimum and maximum: a difference of the median from 1 below the spread of the ratios is noise. "best" is the ratio of
# the minimum times of all rounds, and "state" compares the hashes of the states. Exit status: 0 done, 1 a run failed.
set -eu
old=$1 new=$2
shift 2
rounds=${ROUNDS:-5}
ask=${ASK-bench --csv --samples 3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM

# measure NAME PROGRAM ROUND [OPTION...]: writes the rows of the program to NAME.ROUND.
measure() {
  into=$folder/$1.$3 program=$2
  shift 3
  # $ask is split into words.
  "$program" $ask "$@" >"$into" || {
    echo "against: $program bench failed" >&2
    exit 1
  }
}

round=1
while [ "$round" -le "$rounds" ]; do
  if [ $((round % 2)) -eq 1 ]; then
    measure old "$old" "$round" "$@"
    measure new "$new" "$round" "$@"
  else
    measure new "$new" "$round" "$@"
    measure old "$old" "$round" "$@"
  fi
  echo "round $round of $rounds" >&2
  round=$((round + 1))
done

awk -F, -v rounds="$rounds" -v folder="$folder" '
  # Columns are found by name, because versions differ in their columns.
  function read(name, round, file, line, field, at, n, key, seconds) {
    file = folder "/" name "." round
    if ((getline line < file) <= 0)
      return
    n = split(line, field, ",")
    for (; n > 0; n--)
      at[field[n]] = n
    while ((getline line < file) > 0) {
      split(line, field, ",")
      key = field[at["network"]] "," field[at["threads"]]
      seconds = field[at["seconds_per_substep"]]
      if (!(key in known) && name == "new") {
        known[key] = ++count
        keys[count] = key
      }
      time[name, key, round] = seconds
      if (!((name, key) in best) || seconds + 0 < best[name, key] + 0)
        best[name, key] = seconds
      hash[name, key] = field[at["hash"]]
    }
    close(file)
  }
  function sort(list, size, i, j, kept) {
    for (i = 2; i <= size; i++) {
      kept = list[i]
      for (j = i - 1; j > 0 && list[j] > kept; j--)
        list[j + 1] = list[j]
      list[j + 1] = kept
    }
  }
  BEGIN {
    for (round = 1; round <= rounds; round++) {
      read("old", round)
      read("new", round)
    }
    printf "%-20s %7s %12s %12s %8s %8s %8s %8s  %s\n", "network", "threads", "old us", "new us", "median", "min",
           "max", "best", "state"
    for (n = 1; n <= count; n++) {
      key = keys[n]
      if (!(("old", key) in best))
        continue
      size = 0
      for (round = 1; round <= rounds; round++)
        if (time["new", key, round] > 0)
          ratios[++size] = time["old", key, round] / time["new", key, round]
      sort(ratios, size)
      split(key, part, ",")
      printf "%-20s %7d %12.4g %12.4g %8.3f %8.3f %8.3f %8.3f  %s\n", part[1], part[2], 1e6 * best["old", key],
             1e6 * best["new", key], size % 2 ? ratios[(size + 1) / 2] : (ratios[size / 2] + ratios[size / 2 + 1]) / 2,
             ratios[1], ratios[size], best["old", key] / best["new", key],
             hash["old", key] == hash["new", key] ? "same" : "differs"
    }
  }'
