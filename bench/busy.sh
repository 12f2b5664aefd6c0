#!/bin/sh
# busy.sh MSD [LOOPS [RUNS [SCENE...]]]: the cost of asking for two threads beside busy processes. For 0 to LOOPS busy loops (2 by
# default), RUNS short runs (9) of each scene on one thread and on two alternate, beside the same loops. Prints a Markdown table
# of the time of the frames, minimum and median in s, and the median ratio of two threads to one. MSD is the command.
# Exit status: 0 done, 1 the states differ or a run failed.
set -eu
msd=$1 most=${2:-2} runs=${3:-9}
[ $# -lt 3 ] || shift 2
shift
scenes=${*:-curtain hammock layers walker million}
folder=$(mktemp -d)
loops=
trap '[ -z "$loops" ] || kill $loops 2>/dev/null; rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM

cat > "$folder/million.json" <<END
{ "msd": 1, "bodies": [ { "type": "cloth", "origin": [0, 0, 0], "u": [10, 0, 0], "v": [0, 0, 10], "columns": 1000, "rows": 1000 } ] }
END

duration() {
  case $1 in
  curtain | hammock) echo 8 ;;
  million) echo 0.0333333 ;;
  *) echo 0.2 ;;
  esac
}

# once SCENE THREADS: appends "SECONDS HASH" to the file of that number of threads.
once() {
  file=$1
  [ "$1" != million ] || file=$folder/million.json
  options="--substeps 16"
  [ "$1" = million ] || options=
  # shellcheck disable=SC2086
  "$msd" run "$file" --duration "$(duration "$1")" --threads "$2" --json $options |
    awk -F'[:,]' '/"wall_seconds"/ { t = $2 } /"hash"/ { h = $2 } END { print t + 0, h }' >> "$folder/$2"
}

echo "| busy loops | scene | one thread | two | ratio | load |"
echo "|---|---|---|---|---|---|"
beside=0
while [ "$beside" -le "$most" ]; do
  if [ "$beside" -gt 0 ]; then
    while :; do :; done &
    loops="$loops $!"
  fi
  for scene in $scenes; do
    rm -f "$folder/1" "$folder/2"
    n=0
    while [ $n -lt "$runs" ]; do
      once "$scene" 1
      once "$scene" 2
      n=$((n + 1))
    done
    paste "$folder/1" "$folder/2" | awk -v scene="$scene" -v beside="$beside" -v load="$(cut -d' ' -f1 /proc/loadavg)" '
      function sort(a, n,   i, j, t) {
        for (i = 2; i <= n; i++)
          for (j = i; j > 1 && a[j] < a[j - 1]; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
      }
      { n++; one[n] = $1; two[n] = $3; ratio[n] = $3 / $1; if ($2 != $4 || $1 <= 0) wrong = 1 }
      END {
        sort(one, n); sort(two, n); sort(ratio, n); m = int((n + 1) / 2)
        printf "| %d | %s | %.3f, %.3f | %.3f, %.3f | %.2f | %s |\n", beside, scene, one[1], one[m], two[1], two[m], ratio[m], load
        exit wrong
      }'
  done
  beside=$((beside + 1))
done
