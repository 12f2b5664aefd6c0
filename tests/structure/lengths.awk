# Files longer than 1500 lines and functions longer than 120, from the first line of the signature to the brace that ends
# it. Read as clang-format leaves it: a definition begins at the left edge, its last line there ends with '{', and a
# '}' at the left edge ends it. The list of names that ./dev names writes may be as long as it is.
function file_ends() {
  if (lines > 1500 && file !~ /\/private_names\.h$/) {
    printf "%s: %d lines, 1500 is the most\n", file, lines
    failed = 1
  }
}

FNR == 1 {
  if (file != "") file_ends()
  file = FILENAME
  begin = 0
  statement = ""
}
{ lines = FNR }

# Inside of a function
begin && /^}/ {
  if (FNR - begin + 1 > 120) {
    printf "%s:%d: %d lines, 120 is the most of a function\n", FILENAME, begin, FNR - begin + 1
    failed = 1
  }
  begin = 0
  statement = ""
  next
}
begin { next }

# What ends no statement: empty lines, directives, comments, and names of spaces around functions
/^$/ || /^#/ || /^\/[*\/]/ || /^extern "C" {$/ || /^namespace .*{$/ { statement = ""; next }
/^[^ \t}]/ {
  statement = ""
  first = FNR
}
{ statement = statement $0 }
/{$/ {
  head = statement
  sub(/\(.*/, "", head)
  if (statement ~ /\(/ && head !~ /=/) begin = first
  statement = ""
}
/;$/ { statement = "" }

END {
  if (file != "") file_ends()
  exit failed
}
