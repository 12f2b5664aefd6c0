#!/usr/bin/python3
"""pack.py FILE.zip: packs the add-on as a file that Blender installs. Equal sources give equal bytes."""
import sys
import zipfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def main(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for source in sorted((FOLDER / "msd_simulation").glob("*.py")):
            entry = zipfile.ZipInfo(source.relative_to(FOLDER).as_posix(), (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, source.read_bytes())
    print(path)


if __name__ == "__main__":
    main(sys.argv[1])
