#!/bin/sh
# curves.sh SCALING FOLDER [N...]: the stretch of a stiff sheet of N x N particles (50, 100, 200 and 300) against its
# frame time, for each solver, on lattices and on irregular meshes. Runs the program SCALING of bench/scaling.c for 5 s of
# each sheet, and Bullet's soft bodies (bench/bullet_sheet.cpp) if they were built. Writes FOLDER/curves.csv, and draws it
# with gnuplot as FOLDER/curves.svg. If SCALING is -, nothing is run and the existing table is drawn.
set -eu
scaling=$1 folder=$2
bullet=$(dirname "$scaling")/../libexec/msd/bullet_sheet
shift 2
[ $# -gt 0 ] || set -- 50 100 200 300
table=$folder/curves.csv
if [ "$scaling" = - ]; then
  set --
  [ -s "$table" ] || { echo "curves.sh: $table does not exist" >&2 && exit 1; }
fi
mkdir -p "$folder"
: >"$table.part"
for n in "$@"; do
  for sheet in lattice mesh; do
    echo "curves.sh: $sheet, n = $n" >&2
    for program in "$scaling" "$bullet"; do
      [ -x "$program" ] || continue
      if [ $sheet = mesh ]; then "$program" mesh "$n"; else "$program" "$n"; fi >"$table.one"
      [ -s "$table.part" ] || head -n 1 "$table.one" >"$table.part"
      tail -n +2 "$table.one" >>"$table.part"
    done
  done
done
[ $# -eq 0 ] || mv "$table.part" "$table"
rm -f "$table.one" "$table.part"

# A panel for each size and kind of sheet, all with the same axes. The first panel has the legend.
solvers='stiff,none|stiff springs|#555555
stiff,selective|mass scaling|#d62728
held,selective|mass scaling, tethers|#ff9f40
firm,selective|the same, 4 times as stiff|#8c564b
tethered,none|soft springs, tethers|#1f77b4
rigid,gauss_seidel|Gauss-Seidel, hard limits|#2ca02c
bullet,position|Bullet, one pass a step|#9467bd
bullet,position_in_1|Bullet, one step|#e377c2'
panels=
row=0
for n in $(tail -n +2 "$table" | cut -d , -f 2 | sort -nu); do
  for sheet in lattice mesh; do
    curves=$(echo "$solvers" | while IFS='|' read -r solver name color; do
      if ! grep -q "^$sheet,$n,$solver," "$table"; then # in the legend all the same
        ! [ "$row,$sheet" = 0,lattice ] || ! grep -q ",$solver," "$table" ||
          echo "keyentry with linespoints linecolor rgb '$color' pointtype 7 pointsize 0.5 linewidth 2 title '$name', \\"
        continue
      fi
      rows="\"< grep ^$sheet,$n,$solver, '$table'\""
      title="title '$name'"
      [ "$row,$sheet" = 0,lattice ] || title=notitle
      echo "$rows using 7:(100*\$9) with linespoints linecolor rgb '$color' pointtype 7 pointsize 0.5 linewidth 2 $title, \\"
      echo "  $rows using 7:(100*\$9):5 with labels offset 0,0.7 font ',8' textcolor rgb '$color' notitle, \\"
    done)
    if [ -z "$curves" ]; then
      panels="$panels
set multiplot next"
      continue
    fi
    panels="$panels
set title '$sheet of $n x $n' offset 0,-0.5
plot ${curves%, *}"
  done
  row=$((row + 1))
done
# Range of the values of a column, with a margin.
range() {
  tail -n +2 "$table" | cut -d , -f "$1" | sort -g |
    awk -v times="$2" 'NR == 1 { least = $1 } END { printf "[%g:%g]", least * times / 1.6, $1 * times * 1.6 }'
}
gnuplot <<END
set terminal svg size 1000,$((340 * row + 80)) background rgb 'white' font 'sans,12'
set output '$folder/curves.svg'
set datafile separator ','
set multiplot layout $row,2 title "Largest stretch after 5 s against frame time; numbers are substeps or passes a frame\n\n\n "
set logscale xy
set xrange $(range 7 1)
set yrange $(range 9 100)
set xlabel 'ms a frame, one thread' offset 0,0.5
set ylabel 'largest stretch at the end, %' offset 1,0
set grid xtics ytics linecolor rgb '#cccccc'
set border 3
set xtics nomirror
set ytics nomirror
set key at screen 0.5, screen $(awk "BEGIN { print 1 - 30 / (340 * $row + 80) }") center top horizontal maxrows 3 \
  width -4 samplen 2 font ',11' noenhanced
$panels
unset multiplot
END
echo "curves.sh: $table and $folder/curves.svg" >&2
