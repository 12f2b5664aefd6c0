#!/bin/sh
# results.sh BUILD FOLDER [speed|quality|scaling|contact|constraints|plots|table...]: runs every measurement of this
# machine with the programs of a build and writes files that can be committed; all of them where none is named:
#
#   speed.csv, speed.svg    springs per second against size, beside the textbook loop and the installed engines
#   quality.csv, scaling.csv, quality.svg    frame time of a cloth against its stretch, for each solver
#   contact.csv, contact.svg    cost of contact
#   constraints.csv, constraints.svg    cost of a spring of each kind
#   table.md                the table of docs/reference/benchmarks.md
#
# The last three plots and the table are made from the other files. A measurement that fails leaves its file
# unchanged and makes the exit status 1; the ones after it still run.
set -u
build=$1 folder=$2
shift 2
[ $# -gt 0 ] || set -- speed quality scaling contact constraints plots table
msd=$build/app/msd status=0
mkdir -p "$folder"

# keep FILE COMMAND...: writes the output of the command to the file once it has succeeded.
keep() {
  file=$folder/$1
  shift
  if "$@" >"$file.part"; then mv "$file.part" "$file"; else
    echo "results: $* failed" >&2
    rm -f "$file.part"
    status=1
  fi
}

# The contact cases of msd bench with 10,000 particles, from its JSON; those with 100,000 take minutes each.
contact_rows() {
  for case in "drape 1e4" "crumple 1e4" "stack 1e4"; do
    $msd bench --samples 1 --json --case "$case" || return 1
  done >"$folder/contact.json.part"
  echo "surfaces,particles,threads,seconds_per_frame,seconds_per_frame_without_surfaces,intersections"
  awk -F '[:,]' '
    { gsub(/["{} ]/, "", $1) }
    $1 == "surfaces" { gsub(/^ *"|"$/, "", $2); name = $2 }
    $1 == "particles" { particles = $2 + 0 }
    $1 == "intersections" { found = $2 + 0 }
    $1 == "threads" { threads = $2 + 0 }
    $1 == "seconds_per_frame" { seconds = $2 + 0 }
    $1 == "seconds_per_frame_without_surfaces" {
      printf "%s,%d,%d,%.6g,%.6g,%d\n", name, particles, threads, seconds, $2, found
    }' "$folder/contact.json.part"
  rm "$folder/contact.json.part"
}

# drawn NAME: draws a plot from gnuplot commands on the standard input.
drawn() {
  { echo "set terminal svg size 960,560 background rgb 'white' font 'sans,12'
      set datafile separator ','
      set border 3
      set xtics nomirror
      set ytics nomirror
      set grid xtics ytics linecolor rgb '#cccccc'" && cat; } | keep "$1.svg" gnuplot
}

# The rows of each solver in the order of their cost.
draw_quality() {
  drawn quality <<END
set title 'Sheet of 100 x 100, 5 s: time of a frame on one thread, stretch at the end'
set logscale xy
set xlabel 'ms a frame'
set ylabel 'largest stretch, %'
set key outside right center
row(file, test, x, y) = sprintf("< awk -F, '%s { print \$%d \",\" 100 * \$%d }' %s | sort -n", test, x, y, file)
q = '$folder/quality.csv'; s = '$folder/scaling.csv'
plot row(q, 'NR > 1 && \$2 == 0', 4, 8) using 1:2 with linespoints linewidth 2 title 'springs', \\
  row(q, 'NR > 1 && \$2 == 2 && \$3 == 0', 4, 8) using 1:2 with linespoints linewidth 2 title 'and tethers', \\
  row(q, 'NR > 1 && \$2 == 2 && \$3 == 1', 4, 8) using 1:2 with linespoints linewidth 2 title 'and hard limits', \\
  row(s, '\$3 == "held"', 7, 9) using 1:2 with linespoints linewidth 2 title 'mass scaling, tethers', \\
  row(s, '\$3 == "rigid"', 7, 9) using 1:2 with linespoints linewidth 2 title 'Gauss-Seidel'
END
}

draw_bars() {
  drawn "$1" <<END
set title '$2'
set ylabel '$3'
set style data histograms
set style fill solid 0.8
set boxwidth 0.9
set yrange [0:]
set key top left
plot $4
END
}

draw_contact() {
  draw_bars contact 'A frame of 40 substeps with cloth contact, one thread' 'us a particle' \
    "'< grep \",1,\" $folder/contact.csv' using (1e6*\$4/\$2):xtic(1) title 'with contact', '' using (1e6*\$5/\$2) title 'without'"
}

draw_constraints() {
  draw_bars constraints 'A spring of each kind in a substep, one thread' 'ns each' \
    "'$folder/constraints.csv' every ::1 using 6:xtic(1) title 'minimum', '' every ::1 using 7 title 'median'"
}

# The table of docs/reference/benchmarks.md: millions of springs per second, and times the textbook loop.
table() {
  awk -F, '
    NR == 1 { for (n = 1; n <= NF; n++) at[$n] = n; next }
    { key = $at["network"]; rate = $at["springs_per_second"] / 1e6; ratio = $at["textbook_ratio"] }
    $at["threads"] == 1 {
      springs = $at["springs"]
      while (match(springs, /^[0-9][0-9][0-9][0-9]+/))
        springs = substr(springs, 1, RLENGTH - 3) "," substr(springs, RLENGTH - 2)
      line[key] = springs
      split("textbook lammps bullet", rivals, " ")
      for (n = 1; n <= 3; n++) {
        column = at[rivals[n] "_springs_per_second"]
        line[key] = line[key] " | " (column && $column > 0 ? sprintf("%.0f", $column / 1e6) : "-")
      }
      line[key] = line[key] sprintf(" | %.0f, %.1f times", rate, ratio)
    }
    $at["threads"] > 1 { line[key] = line[key] sprintf(" | %.0f, %.1f times", rate, ratio) }
    $at["threads"] > 1 && $at["memory_share"] > 1 && $at["particles"] >= 1e6 && key ~ /cloth/ {
      line[key] = line[key] sprintf(", %.0f %% of the memory bandwidth", 100 * $at["memory_share"])
    }
    END {
      print "| network | springs | textbook | LAMMPS | Bullet | one core | two cores |"
      print "|---|---|---|---|---|---|---|"
      split("cloth 100x100,cloth 1000x1000,ropes 1000x100,triangles 1e5,triangles 1e6,tetrahedra 1e5", keys, ",")
      split("cloth 100 x 100,cloth 1000 x 1000,ropes: 1000 of 100 particles,triangle mesh: vertices in any order," \
            "the same: ten times as large,tetrahedral mesh: vertices in any order", names, ",")
      for (n = 1; n <= 6; n++)
        if (keys[n] in line) {
          sub(":", ",", names[n])
          print "| " names[n] " | " line[keys[n]] " |"
        }
    }' "$folder/speed.csv"
}

for part in "$@"; do
  case $part in
  speed) keep speed.csv $msd bench --compare --csv --plot "$folder/speed.svg" ;;
  quality) keep quality.csv "$build/bench/quality" ;;
  scaling) keep scaling.csv "$build/bench/scaling" ;;
  contact) keep contact.csv contact_rows ;;
  constraints) keep constraints.csv "$build/bench/constraints" ;;
  plots)
    draw_quality
    draw_contact
    draw_constraints
    ;;
  table) keep table.md table ;;
  *)
    echo "results: unknown part '$part'" >&2
    exit 2
    ;;
  esac
  echo "$part" >&2
done
exit $status
