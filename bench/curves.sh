#!/bin/sh
# curves.sh SCALING FOLDER [N...]: how well a stiff sheet of N x N particles (50, 100, 200 and 300) keeps its size
# against what a frame of it costs, by each way to take its springs: the program SCALING of bench/scaling.c for 5 s
# of each, into FOLDER/curves.csv, and a plot of it by gnuplot, FOLDER/curves.svg.
set -eu
scaling=$1 folder=$2
shift 2
[ $# -gt 0 ] || set -- 50 100 200 300
mkdir -p "$folder"
table=$folder/curves.csv
: >"$table.part"
for n in "$@"; do
  echo "curves.sh: n = $n" >&2
  "$scaling" "$n" >"$table.one"
  [ -s "$table.part" ] || head -n 1 "$table.one" >"$table.part"
  tail -n +2 "$table.one" >>"$table.part"
done
mv "$table.part" "$table"
rm "$table.one"

# Rows of one size and way are a block: n, a number of the way, its name, ms a frame, largest stretch in per cent.
ways="stiff,none stiff,selective held,selective tethered,none rigid,gauss_seidel"
blocks=$folder/curves.dat
: >"$blocks"
plot=
color=0
for n in $(tail -n +2 "$table" | cut -d , -f 1 | sort -nu); do
  color=$((color + 1))
  mark=0
  for way in $ways; do
    mark=$((mark + 1))
    grep -q "^$n,$way," "$table" || continue
    awk -F , -v n="$n" -v way="$way" '$1 == n && $2 "," $3 == way { print $6, 100 * $8 }' "$table" >>"$blocks"
    printf '\n\n' >>"$blocks"
    plot="$plot${plot:+, }'$blocks' index $(grep -c '^$' "$blocks" | awk '{ print $1 / 2 - 1 }') \
with linespoints linecolor $color pointtype $mark dashtype $mark linewidth 2 title '$n, $(echo "$way" | tr , ' ')'"
  done
done
gnuplot <<END
set terminal svg size 960,560 dynamic background rgb 'white'
set output '$folder/curves.svg'
set logscale xy
set xlabel 'ms a frame, one thread'
set ylabel 'largest stretch at the end, %'
set grid xtics ytics linecolor rgb '#cccccc'
set border 3
set key outside right center samplen 3 noenhanced
plot $plot
END
rm "$blocks"
echo "curves.sh: $table and $folder/curves.svg" >&2
