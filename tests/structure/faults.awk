# faults.awk FAULTS SOURCE...: each fault of the list stands in one line of one source under its `in`.
FNR == 1 && NR == 1 { reads_list = 1 }
FNR == 1 && NR > 1 {
  reads_list = 0
  here = 0
  for (n = 1; n <= count; n++)
    if (FILENAME == folder[n] || index(FILENAME, folder[n] "/") == 1)
      own[++here] = n
}
reads_list && /^fault: / { name[++count] = substr($0, 8) }
reads_list && /^in: / { folder[count] = substr($0, 5) }
reads_list && /^from: / { text[count] = substr($0, 7) }
reads_list { next }
{
  for (k = 1; k <= here; k++)
    if (index($0, text[own[k]]))
      lines[own[k]]++
}
END {
  for (n = 1; n <= count; n++)
    if (lines[n] != 1) {
      print "tests/faults/faults.txt: " name[n] ": " lines[n] + 0 " lines of " folder[n] " have its text; it takes one"
      wrong = 1
    }
  exit wrong
}
