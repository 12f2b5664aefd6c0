#!/usr/bin/python3
"""blocks.py PREFIX FOLDER PAGE...: does what pages tell a reader to do, with the msd that is installed in PREFIX.

A fenced block with a title is a file of that name; a block of `sh` is run, in the order of the page, in a folder of the
page's own; a block of `text` right behind it is what that prints. There `...` stands for anything in a line, and a line
of it for any lines. Commands that open windows or belong to a checkout of msd are left out. A file that no command
uses is an error, and so is a page without a command.
"""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BLOCK = re.compile(r'^```(?P<language>\w+)(?: title="(?P<title>[^"]+)")?[ \t]*\n(?P<text>.*?)^```[ \t]*$', re.S | re.M)
ELSEWHERE = re.compile(r"^(?:msd view|\./dev|git |pip |python3 |blender )")
SECONDS = 120


def words(line):
    return " ".join(line.split())


def matches(expected, printed):
    """Whether lines are what is expected."""
    if not expected:
        return not printed
    if expected[0] == "...":
        return any(matches(expected[1:], printed[n:]) for n in range(len(printed) + 1))
    if not printed:
        return False
    pattern = ".*".join(re.escape(part) for part in expected[0].split("..."))
    return re.fullmatch(pattern, printed[0]) is not None and matches(expected[1:], printed[1:])


def lines_of(text):
    return [words(line) for line in text.strip().splitlines() if line.strip()]


class Run:
    def __init__(self, prefix, folder, page):
        self.page, self.folder = page, folder
        self.environment = dict(os.environ, PATH=f"{prefix}/bin:/usr/bin:/bin", PKG_CONFIG_PATH=f"{prefix}/lib/pkgconfig",
                                OMP_WAIT_POLICY="passive")
        self.environment.pop("MSD_SCENES", None)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)

    def shell(self, text):
        script = "\n".join(line for line in text.splitlines() if not ELSEWHERE.match(line))
        try:
            done = subprocess.run(["sh", "-e", "-c", script], cwd=self.folder, env=self.environment, text=True, timeout=SECONDS,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            return None, f"ran for more than {SECONDS} s"
        return done.returncode, done.stdout

    def go(self):
        """What is wrong, and how many commands were run."""
        text = self.page.read_text()
        blocks = list(BLOCK.finditer(text))
        wrong, commands, used = [], 0, " ".join(block["text"] for block in blocks if block["language"] == "sh")
        for n, block in enumerate(blocks):
            line = text.count("\n", 0, block.start()) + 1
            where = f"{self.page}:{line}"
            if block["title"]:
                (self.folder / block["title"]).write_text(block["text"])
                if block["title"] not in used:
                    wrong.append(f"{where}: no command uses {block['title']}")
            elif block["language"] == "sh":
                commands += 1
                status, printed = self.shell(block["text"])
                if status != 0:
                    wrong.append(f"{where}: ended with {status}:\n{block['text']}{printed}")
                follows = blocks[n + 1] if n + 1 < len(blocks) else None
                if follows and follows["language"] == "text" and not text[block.end():follows.start()].strip():
                    if not matches(lines_of(follows["text"]), lines_of(printed)):
                        wrong.append(f"{where}: prints\n{printed}and not\n{follows['text']}")
        return wrong + ([] if commands else [f"{self.page}: has no command"]), commands


def main(prefix, folder, pages):
    pages = [page for page in pages if Path(page).name != "index.md"]
    runs = [Run(Path(prefix).resolve(), Path(folder).resolve() / Path(page).stem, Path(page)) for page in pages]
    with ThreadPoolExecutor(2) as threads:
        done = list(threads.map(Run.go, runs))
    for wrong, _ in done:
        for one in wrong:
            print(one, file=sys.stderr)
    print(f"documents: {sum(n for _, n in done)} blocks of commands of {len(done)} pages")
    return any(wrong for wrong, _ in done)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
