#!/usr/bin/python3
"""scorecard.py BUILD PREFIX FOLDER: measures each guarantee of docs/promises.md, as FOLDER/scorecard.md.

BUILD is the build folder of CMake, PREFIX its installation. Each row of the tables of docs/promises.md has a measurement
below, or its tests are run. A guarantee that is broken, or that nothing measures, fails. Figures of other engines come
from bench/results, with the machine that they were measured on.
"""

import csv
import datetime
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120
# Tests that take longer than a scorecard should; ./dev test runs them.
LONG = {"allocation_failures", "fracture"}
# The folders that tests are built from and read.
SOURCES = ["app", "bench", "cmake", "docs", "engine", "examples", "ranks", "render", "scenes", "tests"]


class Card:
    def __init__(self, build, prefix):
        self.build, self.prefix = Path(build).resolve(), Path(prefix).resolve()
        self.msd = self.prefix / "bin/msd"
        self.rows = {}
        self.folder = tempfile.TemporaryDirectory()

    def run(self, *command, check=True, **options):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=SECONDS,
                              stdin=subprocess.DEVNULL, cwd=self.folder.name, **options)
        if check and done.returncode != 0:
            raise SystemExit(f"scorecard: {command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done

    def json(self, *options):
        return json.loads(self.run(self.msd, *options, "--json").stdout)

    def formulas(self):
        """The figures of bench/scorecard.c."""
        for line in self.run(self.build / "bench/scorecard").stdout.splitlines():
            promise, held, figure = line.split("\t")
            self.rows[promise] = (held == "1", figure)

    def energy(self):
        done = self.run(self.build / "bench/energy", 300, check=False)
        row = next(line for line in done.stdout.splitlines() if line.startswith("| 0.98 of the limit")).split("|")
        plain, guarded, bound = row[2].split(",")[0].strip(), row[3].split(",")[0].strip(), row[6].strip()
        self.rows["kinetic energy stays bounded"] = (done.returncode == 0, (
            f"59 random undamped networks at 0.98 of the limit, 300 substeps: the worst reaches {float(plain):,.0f} times its "
            f"energy with energy_mode off and {float(guarded):.1f} with bounded; kinetic energy is at most {bound} of its bound"))

    def contact(self):
        frames = found = 0
        for scene, time in (("sheet_stack", 0.35), ("reef_knot", 0.2), ("ribbon", 0.2)):
            summary = self.json("run", scene, "--duration", time, "--check-intersections")
            frames += summary["frames"]
            found += summary["intersections"]
        self.rows["never intersect"] = (found == 0, f"{found} intersections in {frames} frames of sheet_stack, reef_knot and ribbon, "
                                                   "by the exact intersection test")

    def resumed(self):
        whole = self.json("run", "hanging_cloth", "--duration", 0.4)["hash"]
        self.json("run", "hanging_cloth", "--duration", 0.2, "--save", "half")
        rest = self.json("run", "hanging_cloth", "--duration", 0.4, "--resume", "half")["hash"]
        self.rows["resumed run ends"] = (whole == rest, f"hanging_cloth in one run ends with {whole}, saved and resumed with {rest}")

    def bad_input(self):
        text = (ROOT / "scenes/curtain.json").read_text()
        tried, right = 0, 0
        for place in range(1, len(text.rstrip()) - 1, len(text) // 40):
            Path(self.folder.name, "cut.json").write_text(text[:place])
            done = self.run(self.msd, "info", "cut.json", check=False)
            tried += 1
            right += done.returncode == 2 and len(done.stderr.splitlines()) == 1 and "cut.json" in done.stderr
        self.rows["Invalid input ends with one line"] = (tried == right, f"{right} of {tried} truncated scenes end with one line "
                                                              "that names the file and the place")

    def links(self):
        readme = (ROOT / "README.md").read_text()
        program = re.search(r"```c\n(#include <msd/msd.h>.*?)```", readme, re.S)[1]
        environment = dict(os.environ, PKG_CONFIG_PATH=str(self.prefix / "lib/pkgconfig"))
        built, said = [], ""
        for compiler, standard in (("cc", "c17"), ("c++", "c++17"), ("c++", "c++20")):
            Path(self.folder.name, "hello.c").write_text(program)
            command = f"{compiler} -std={standard} hello.c $(pkg-config --cflags --libs msd) -o hello && ./hello"
            done = self.run("sh", "-c", command, check=False, env=environment)
            built += [standard] if done.returncode == 0 else []
            said = done.stdout.strip() or said
        self.rows["links from C17"] = (len(built) == 3, f"the program of the README, built as {', '.join(built)}, prints: {said}")

    def speed(self):
        """Speed by msd bench, and the memory that it reports."""
        found, samples = {}, ("--samples", 5, "--seconds", 0.02, "--csv")
        for case in ("cloth 100x100", "triangles 1e4"):
            for row in csv.DictReader(self.run(self.msd, "bench", "--case", case, *samples).stdout.splitlines()):
                if row["threads"] == "1":
                    found[row["network"]] = row
        mesh = found["triangles 1e4"]
        promised = 160 * int(mesh["particles"]) + 32 * int(mesh["springs"])
        part = int(mesh["bytes"]) / promised
        self.rows["takes at most 160 bytes"] = (part <= 1, f"a mesh of {int(mesh['particles']):,} particles and "
                                                           f"{int(mesh['springs']):,} springs takes {part:.1%} of that")
        return found

    def passed_before(self):
        """The tests that passed in ./dev test, if no source has changed since it began."""
        try:
            suite = ElementTree.parse(self.build / "tests.xml").getroot()
        except FileNotFoundError:
            return set()
        # Folders too: their times change when a file is removed.
        files = [path for folder in SOURCES for path in [ROOT / folder, *(ROOT / folder).rglob("*")] if path.exists()]
        files += [path for path in ROOT.iterdir() if path.is_file()] + [self.build / "app/msd"]
        if datetime.datetime.fromisoformat(suite.get("timestamp")).timestamp() <= max(path.stat().st_mtime for path in files):
            return set()
        return {case.get("name") for case in suite.iter("testcase") if case.get("status") == "run"}

    def tests(self, names):
        """The tests among these that pass. Those that passed since the last change are not run again."""
        passed = self.passed_before() & names
        if passed == names:
            return passed
        pattern = "^(" + "|".join(sorted(names - passed)) + ")$"
        done = subprocess.run(["ctest", "--test-dir", str(self.build), "-j", str(os.cpu_count()), "-R", pattern],
                              capture_output=True, text=True)
        return passed | {name for name in names if re.search(rf"Test +#\d+: {name} \.+ +Passed", done.stdout)}


def promises():
    """Each row of the tables of docs/promises.md: the guarantee and its tests, as pairs of folder and name."""
    for table in (ROOT / "docs/promises.md").read_text().split("| guarantee | does not cover | proof | tests |\n")[1:]:
        for line in table.split("\n\n")[0].splitlines()[1:]:
            _, promise, _, _, tests, _ = re.split(r"(?<!\\)\|", line)
            yield promise.strip(), re.findall(r"\(\.\./tests/([\w/]+)/test_(\w+)\.c\)", tests)


def claims(tests):
    return sum(len(re.findall(r"^(?:Test|ParameterizedTest|Theory)\(", (ROOT / f"tests/{folder}/test_{name}.c").read_text(), re.M))
               for folder, name in tests)


def speed_table(found):
    results = sorted((ROOT / "bench/results").glob("*/speed.csv"))
    recorded = {(row["network"], row["threads"]): row for row in csv.DictReader(results[0].read_text().splitlines())}
    machine = results[0].parent.name.replace("-", " ")
    date = subprocess.run(["git", "log", "-1", "--format=%cs", "--", str(results[0])], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    lines = [f"One thread, millions of springs a second. The first column is a short run on this machine; the others are of {machine}"
             f"{', ' + date if date else ''}, from [bench/results](bench/results), measured in alternation.", "",
             "| network | now | ns a particle and substep | msd | textbook | LAMMPS | Bullet |", "|---|---|---|---|---|---|---|"]
    def mega(row, key):
        return f"{float(row[key]) / 1e6:.0f}" if row.get(key) else ""
    for network, row in found.items():
        old = recorded.get((network, "1"), {})
        lines.append(f"| {network} | {mega(row, 'springs_per_second')} | {float(row['nanoseconds_per_particle']):.1f} | "
                     f"{mega(old, 'springs_per_second')} | {mega(old, 'textbook_springs_per_second')} | "
                     f"{mega(old, 'lammps_springs_per_second')} | {mega(old, 'bullet_springs_per_second')} |")
    return lines


def processor():
    try:
        return re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())[1]
    except (OSError, TypeError):
        return platform.machine()


def main(build, prefix, folder):
    card = Card(build, prefix)
    card.formulas()
    card.energy()
    card.contact()
    card.resumed()
    card.bad_input()
    card.links()
    found = card.speed()
    rows = [(promise, [test for test in tests if test[1] not in LONG]) for promise, tests in promises()]
    unused = [key for key in card.rows if not any(key in promise for promise, _ in rows)]
    open_rows = [(promise, tests) for promise, tests in rows if not any(key in promise for key in card.rows)]
    passed = card.tests({name for _, tests in open_rows for _, name in tests})
    lines, broken = [], [f"no guarantee of docs/promises.md says '{key}'" for key in unused]
    for promise, tests in rows:
        key = next((key for key in card.rows if key in promise), None)
        if key:
            held, figure = card.rows[key]
        else:
            held = bool(tests) and all(name in passed for _, name in tests)
            figure = f"{claims(tests)} test cases of {', '.join(f'[{n}](tests/{f}/test_{n}.c)' for f, n in tests)}, run since the last change" if tests else "nothing"
        mark = "held" if held else "broken"
        broken += [] if held else [f"not held: {promise}: {figure}"]
        lines.append(f'| {promise} | {figure} | <span class="{mark}">{mark}</span> |')
    version = card.run(card.msd, "--version").stdout.strip()
    head = ["# Scorecard", "",
            f"Measurements of the [guarantees](docs/promises.md), by a run of {datetime.date.today().isoformat()}: {version}, "
            f"{processor()}, {os.cpu_count()} processors. `./dev scorecard` makes this page. The measurements take seconds; the tests "
            "that docs/promises.md names for each guarantee go much further.", "",
            "| guarantee | measured now | |", "|---|---|---|"]
    Path(folder, "scorecard.md").write_text("\n".join(head + lines + ["", "## Speed", ""] + speed_table(found)) + "\n")
    print(f"scorecard: {len(rows) - len(broken)} of {len(rows)} guarantees held")
    print("\n".join(broken), file=sys.stderr, end="\n" if broken else "")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
