#!/bin/sh
# against.sh OLD NEW [OPTION...]: how much faster NEW, a path of msd, is than OLD, another one; the options are those of
# msd bench. The environment's ASK is what else both are asked for, of other programs that print rows as it does.
#
# Both measure the same cases in turns, in as many rounds as the environment's ROUNDS says, or 5; who begins changes
# from round to round. Each round has a ratio, above 1 where NEW is faster, and the table their median, the least and
# the largest of them: a median that is nearer to 1 than these are to each other tells nothing. "best" compares the best
# of all rounds, and "state" says whether both came to the same bits. Exit status: 0 done, 1 one of them failed.
set -eu
old=$1 new=$2
shift 2
rounds=${ROUNDS:-5}
ask=${ASK-bench --csv --samples 3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM

# measure NAME PROGRAM ROUND [OPTION...]: its rows, without those of peers, into NAME.ROUND.
measure() {
  into=$folder/$1.$3 program=$2
  shift 3
  # Several words, as they stand.
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
  # The columns are found by their names: two versions may have others.
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
    printf "%-20s %7s %12s %12s %8s %8s %8s %8s  %s\n", "network", "threads", "old us", "new us", "median", "least",
           "largest", "best", "state"
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
