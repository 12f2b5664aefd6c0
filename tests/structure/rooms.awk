# Who includes whom. Reads the table of docs/architecture.md, in which each room stands above those that may include
# it, then the sources. A room is a folder; the folders of the tests, whose files may include anything, are none.
function folder_of(path) {
  return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : "."
}

function complain(text) {
  printf "%s:%d: %s\n", FILENAME, FNR, text
  failed = 1
}

# The table
NR == FNR {
  if (/^\| *room *\| *what lives there *\|$/) in_table = 1
  else if (!/^\|/) in_table = 0
  else if (in_table && match($0, /^\| *`[^`]+`/)) {
    room = substr($0, RSTART, RLENGTH)
    gsub(/[|` ]/, "", room)
    if (room in floor_of) complain(room " stands in the table twice")
    floor_of[room] = ++rooms
    if (rooms == 1) for (i = 2; i < ARGC; i++) {
      is_source[ARGV[i]] = 1
      name = ARGV[i]
      sub(/.*\//, "", name)
      if (ARGV[i] !~ /^tests\//) path_of[name] = ARGV[i]
    }
  }
  next
}

!rooms {
  print "docs/architecture.md has no table with the columns 'room' and 'what lives there'"
  exit
}

FNR == 1 {
  here = folder_of(FILENAME)
  is_test = here ~ /^tests(\/|$)/
  used[here] = 1
  if (!is_test && !(here in floor_of)) complain("the table of docs/architecture.md has no room " here)
}

/^ *# *include *["<]/ {
  is_quoted = /"/
  path = $0
  sub(/^[^"<]*["<]/, "", path)
  sub(/[">].*/, "", path)
  if (path ~ /^msd\//) path = "engine/include/" path
  if (!(path in is_source)) { # of a system, or made while building
    if (is_quoted && !is_test && (path in path_of)) complain("write the path from the top: \"" path_of[path] "\"")
    next
  }
  if (is_test) next
  there = folder_of(path)
  if (there ~ /^tests(\/|$)/) complain(here " includes a file of the tests, " path)
  else if (here !~ /^engine\// && there ~ /^engine\// && there !~ /^engine\/include\//)
    complain(here " includes " path "; outside of the engine only its public headers are known")
  else if (floor_of[there] > floor_of[here]) complain(here " includes " path ", which is on a higher floor")
  if (FILENAME ~ /\.h$/ && path ~ /\.h$/) {
    edges++
    from[edges] = FILENAME
    to[edges] = path
    down[FILENAME]++
    up[path]++
  }
}

# Headers that include nothing are taken away, and those that nobody includes; then those of the rest, and so on. What
# stays stands in a circle, or between two.
function circles(i, changed, text) {
  do {
    changed = 0
    for (i = 1; i <= edges; i++)
      if ((i in from) && (!down[to[i]] || !up[from[i]])) {
        down[from[i]]--
        up[to[i]]--
        delete from[i]
        changed = 1
      }
  } while (changed)
  for (i = 1; i <= edges; i++)
    if (i in from) text = text "\n  " from[i] " includes " to[i]
  if (text != "") {
    print "headers include each other in a circle:" text
    failed = 1
  }
}

END {
  if (!rooms) exit 1
  for (room in floor_of)
    if (!(room in used)) {
      print "docs/architecture.md: there is no room " room
      failed = 1
    }
  circles()
  exit failed
}
