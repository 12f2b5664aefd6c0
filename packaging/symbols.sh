#!/bin/sh
# symbols.sh [write]: compares packaging/debian/libmsd0.symbols with the functions that the public headers declare, or
# rewrites it. The build of the package fails if the library misses one of these symbols or exports others. A name keeps
# the version in which it was added.
set -eu
cd "$(dirname "$0")/.."
headers=engine/include/msd
soversion=$(sed -n 's/^set(msd_soversion \(.*\))$/\1/p' CMakeLists.txt)
file=packaging/debian/libmsd$soversion.symbols
number() { sed -n "s/^#define MSD_VERSION_$1 //p" $headers/base.h; }
version=$(number MAJOR).$(number MINOR).$(number PATCH)

# The library of the package is in single precision, and a few names say so.
make_symbols() {
  echo "libmsd.so.$soversion libmsd$soversion #MINVER#"
  echo "* Build-Depends-Package: libmsd-dev"
  awk -v version="$version" '
    FILENAME ~ /[.]symbols$/ { since[$1] = $2; next }
    $1 == "#define" && $3 == $2 "_float" { linked[$2] = $3 }
    /^MSD_API/ {
      text = $0
      while (text !~ /[(]/ && (getline line) > 0)
        text = text " " line
      sub(/ *[(].*/, "", text)
      sub(/.*[ *]/, "", text)
      names[text]
    }
    END {
      for (name in names) {
        symbol = (name in linked ? linked[name] : name) "@Base"
        print " " symbol, symbol in since ? since[symbol] : version
      }
    }' $(ls $file 2>/dev/null) $headers/*.h | LC_ALL=C sort
}

if [ "${1:-}" = write ]; then
  made=$(make_symbols)
  echo "$made" >$file
elif ! difference=$(make_symbols | diff $file -); then
  echo "$difference" | sed "s/^/  /"
  echo "$file is not what the headers declare; ./dev names rewrites it"
  exit 1
fi
