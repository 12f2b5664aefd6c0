# Lines longer than 112 columns.
{ gsub(/[\200-\277]/, "") }
length($0) > 112 {
  printf "%s:%d: %d columns, 112 is the most\n", FILENAME, FNR, length($0)
  failed = 1
}
END { exit failed }
