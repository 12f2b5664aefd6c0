#!/bin/sh
# build.sh FOLDER: makes of these sources what runs in a browser, with Debian's Emscripten: FOLDER/page is to be served,
# FOLDER/npm becomes the package. jansson is not among Emscripten's libraries, so it is built from Debian's sources.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
# Where Debian's modules for Node are, which emcc calls, also where Node is not Debian's.
NODE_PATH=/usr/share/nodejs${NODE_PATH:+:$NODE_PATH}
export NODE_PATH
root=$folder/root
# emcmake would name an option of Node that later ones no longer have.
toolchain="-D CMAKE_TOOLCHAIN_FILE=/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake
  -D CMAKE_CROSSCOMPILING_EMULATOR=$(command -v node)"

quietly() {
  "$@" >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    exit 1
  }
}

# The archive lies beside Debian's binary package.
jansson() {
  archive=jansson_2.14.orig.tar.gz
  sum=c739578bf6b764aa0752db9a2fdadcfe921c78f1228c7ec0bb47fa804c55d17b
  pool=$(apt-get --print-uris download libjansson-dev | sed -n "s|^'\(.*\)/[^/]*'.*|\1|p" | head -n 1)
  quietly /usr/lib/apt/apt-helper download-file "$pool/$archive" "$folder/$archive" "SHA256:$sum"
  quietly tar -C "$folder" -xzf "$folder/$archive"
  quietly cmake -G Ninja $toolchain -S "$folder/jansson-2.14" -B "$folder/jansson" -D CMAKE_BUILD_TYPE=Release \
    -D CMAKE_INSTALL_PREFIX="$root" -D JANSSON_BUILD_DOCS=OFF -D JANSSON_WITHOUT_TESTS=ON -D JANSSON_EXAMPLES=OFF
  quietly cmake --build "$folder/jansson" --target install
}

# Headers without a library serve every compiler, but not all of /usr/include beside them.
mkdir -p "$root/include"
ln -sfn /usr/include/cglm "$root/include/cglm"
ln -sfn /usr/include/stb "$root/include/stb"
[ -e "$root/lib/pkgconfig/jansson.pc" ] || jansson

PKG_CONFIG_LIBDIR=$root/lib/pkgconfig
export PKG_CONFIG_LIBDIR
quietly cmake -G Ninja $toolchain -S "$source" -B "$folder/build" -D CMAKE_BUILD_TYPE=Release -D CMAKE_C_FLAGS=-msimd128 \
  -D EMSCRIPTEN_SYSTEM_PROCESSOR=wasm32 -D CMAKE_FIND_ROOT_PATH="$root" -D MSD_WEB=ON -D MSD_SCENES=ON -D MSD_APP=OFF \
  -D MSD_PYTHON=OFF -D MSD_TESTS=OFF -D MSD_BENCH=OFF -D MSD_EXAMPLES=OFF -D MSD_INSTALL=OFF -D MSD_OPENMP=OFF

# A link that was cut short leaves a .mjs and a .wasm that do not fit; then they are all linked again.
made=$folder/build/web
[ ! -e "$folder/unfinished" ] || rm -f "$made"/*.mjs "$made"/*.js "$made"/*.wasm
: >"$folder/unfinished"
cmake --build "$folder/build" --target web
rm "$folder/unfinished"

# Both folders are made beside the old ones, and take their place when they are whole.
new=$folder/new
rm -rf "$new"
mkdir -p "$new/page/scenes" "$new/npm"

# The page: what was made, what is written by hand, and the scenes with a list of them.
cp "$source"/web/page/* "$made/page.mjs" "$made/page.wasm" "$new/page"
for file in "$source"/scenes/*.*; do
  case $file in
  *.txt) ;;
  *) cp "$file" "$new/page/scenes" ;;
  esac
done
node "$source/web/list_scenes.mjs" "$new/page/scenes"

# The package; its version is that of the library.
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:.*=//p' "$folder/build/CMakeCache.txt")
cp "$source"/web/npm/* "$source/LICENSE" "$made/engine.mjs" "$made/engine.wasm" "$new/npm"
sed -i "s/@VERSION@/$version/" "$new/npm/package.json"

for part in page npm; do
  rm -rf "${folder:?}/$part"
  mv "$new/$part" "$folder/$part"
done
rmdir "$new"
