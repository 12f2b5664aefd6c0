# Hashes and subjects of commits, of which none has more than 72 letters.
{
  hash = $1
  sub(/^[^ ]* /, "")
  gsub(/[\200-\277]/, "")
}
length($0) > 72 {
  printf "%s: a subject of %d letters, 72 is the most: %s\n", hash, length($0), $0
  failed = 1
}
END { exit failed }
