#!/usr/bin/python3
"""What makes and checks the site says what is wrong: dead links, missing anchors, things loaded from elsewhere, functions
without a comment, commands that print something else; and knows which results of tests are of before a change."""

import datetime
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parent))
import blocks  # noqa: E402
import links  # noqa: E402
import schema_tables  # noqa: E402
import scorecard  # noqa: E402
from assemble import Site, host_slug  # noqa: E402
from reference import Reference  # noqa: E402


class Folder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


class Links(Folder):
    def test_a_site_that_holds_together_is_right(self):
        self.write("a.html", '<h1 id="top">A</h1><a href="b.html#here">b</a><a href="https://example.org">far</a>')
        self.write("b.html", '<p id="here"><a href="a.html">a</a>')
        self.assertEqual(list(links.check_site(self.folder)), [])

    def test_dead_links_anchors_and_what_is_loaded_are_named(self):
        self.write("a.html", '<a href="c.html"></a><a href="#gone"></a><script src="https://cdn.example.org/x.js"></script>')
        wrong = "\n".join(links.check_site(self.folder))
        for word in ("c.html leads nowhere", "#gone: there is no such anchor", "loads https://cdn.example.org/x.js"):
            self.assertIn(word, wrong)

    def test_documents_are_checked_as_a_host_shows_them(self):
        self.write("README.md", "# One\n\n[good](docs/two.md#same-1) [bad](docs/two.md#three)\n\n```\n[code](nowhere.md)\n```\n")
        self.write("docs/two.md", "# Two\n\n## Same\n\n## Same\n\n[gone](three.md)\n")
        wrong = list(links.check_host(self.folder))
        self.assertEqual(len(wrong), 2)
        self.assertIn("docs/two.md#three: there is no such heading", "".join(wrong))
        self.assertIn("three.md leads nowhere", "".join(wrong))

    def test_anchors_are_those_of_hosts(self):
        self.assertEqual(host_slug("What `msd` does, in C++"), "what-msd-does-in-c")


class Tables(Folder):
    def test_the_pages_of_the_scene_file_have_the_tables_of_the_schema(self):
        self.assertEqual(schema_tables.main(["--check"]), 0)

    def test_a_table_that_differs_is_named_and_written(self):
        page = self.write("page.md", "<!-- keys: sleep only speed -->\n| old |\n<!-- end -->\n")
        with mock.patch("sys.stderr"):
            self.assertEqual(schema_tables.main(["--check", str(page)]), 1)
        self.assertEqual(schema_tables.main([str(page)]), 0)
        self.assertIn("| `speed` | number ≥ 0 | 0.01 | ", page.read_text())
        self.assertEqual(schema_tables.main(["--check", str(page)]), 0)

    def test_a_key_that_no_definition_has_is_an_error(self):
        page = self.write("page.md", "<!-- keys: sleep only sped -->\n<!-- end -->\n")
        self.assertRaises(ValueError, schema_tables.main, [str(page)])


class Headers(Folder):
    def errors(self, text):
        self.write("msd.h", "/* msd: all. */\n")
        self.write("world.h", "/* msd: worlds. */\n" + text)
        return Reference(self.folder).errors()

    def test_what_has_comments_is_right(self):
        self.assertEqual(self.errors("/* Makes one, see msd_free. */\nMSD_API int msd_make(void);\n"
                                     "/* Ends one. */\nMSD_API void msd_free(int a);\n"), [])

    def test_a_function_without_one_is_named(self):
        self.assertEqual(self.errors("/* ------------------------- step */\nMSD_API int msd_make(void);\n"),
                         ["world.h: msd_make has no comment"])

    def test_a_name_that_is_nowhere_declared_is_named(self):
        self.assertEqual(self.errors("/* As msd_unmade. */\nMSD_API int msd_make(void);\n"),
                         ["world.h: a comment names msd_unmade, which no header declares"])

    def test_fields_have_their_comments(self):
        self.errors("typedef struct msd_def {\n  /* m. */\n  int x, y;\n  int z; /* s */\n} msd_def;\n")
        declared = Reference(self.folder).pages["world.h"][1][0].declarations[0]
        self.assertEqual(Reference(self.folder).members_of("world.h", declared), [[["int x, y"], "m."], [["int z"], "s"]])


class Blocks(Folder):
    def wrong(self, text):
        page = self.write("page.md", text)
        return blocks.Run(self.folder, self.folder / "work", page).go()[0]

    def test_a_command_that_prints_what_is_said_is_right(self):
        self.assertEqual(self.wrong('```json title="a.json"\n{}\n```\n\n```sh\ncat a.json\necho 1 2 x 3\n```\n\n'
                                    "```text\n{}\n1 2 ... 3\n```\n"), [])

    def test_what_prints_something_else_fails_or_is_never_used_is_named(self):
        self.assertIn("and not", self.wrong("```sh\necho one\n```\n\n```text\ntwo\n```\n")[0])
        self.assertIn("ended with 3", self.wrong("```sh\nexit 3\n```\n")[0])
        self.assertIn("no command uses a.json", self.wrong('```json title="a.json"\n{}\n```\n\n```sh\ntrue\n```\n')[0])
        self.assertIn("has no command", self.wrong("# Words\n")[0])

    def test_a_line_of_dots_stands_for_any_lines_but_not_for_what_is_named(self):
        self.assertTrue(blocks.matches(["...", "b", "..."], ["a", "b", "c"]))
        self.assertFalse(blocks.matches(["...", "d"], ["a", "b", "c"]))


class Assembling(Folder):
    def test_sources_that_are_linked_become_pages_and_dead_links_are_named(self):
        self.write("src/x.c", "int x < y;\n")
        self.write("docs/a.md", "[x](../src/x.c) [folder](../src) [gone](../src/y.c)\n")
        site = Site(self.folder, self.folder / "out")
        site.page("docs/a.md")
        site.sources()
        self.assertIn("[x](../src/x.c.html) [folder](../src/index.html)", (site.source / "docs/a.md").read_text())
        self.assertIn("int x &lt; y;", (site.source / "src/x.c.html").read_text())
        self.assertEqual(site.wrong, ["docs/a.md: links to ../src/y.c, which is not there"])


class Scorecard(Folder):
    """Results of tests that began after the last change."""
    CASES = ('<testcase name="good" status="run"/><testcase name="bad" status="fail"/>'
             '<testcase name="left_out" status="notrun"/>')

    def setUp(self):
        super().setUp()
        for name in "CMakeLists.txt", "engine/a.c", "engine/b.c", "build/app/msd":
            self.write(name, "")
        for path in self.folder.rglob("*"):
            os.utime(path, (1000, 1000))
        self.results_of(2000)

    def results_of(self, seconds):
        began = datetime.datetime.fromtimestamp(seconds).isoformat()
        self.write("build/tests.xml", f'<testsuite timestamp="{began}">{self.CASES}</testsuite>')

    def passed(self):
        with mock.patch.object(scorecard, "ROOT", self.folder):
            return scorecard.Card(self.folder / "build", self.folder).passed_before()

    def test_tests_that_passed_since_the_last_change_have_passed(self):
        self.assertEqual(self.passed(), {"good"})

    def test_what_was_changed_written_anew_or_built_since_makes_them_count_no_more(self):
        for name in "CMakeLists.txt", "engine/a.c", "build/app/msd":
            os.utime(self.folder / name, (2000, 2000))
            self.assertEqual(self.passed(), set(), name)
            os.utime(self.folder / name, (1000, 1000))
        self.assertEqual(self.passed(), {"good"})

    def test_so_does_what_was_removed_or_renamed(self):
        (self.folder / "engine/b.c").unlink()
        self.assertEqual(self.passed(), set())

    def test_without_results_none_has_passed(self):
        (self.folder / "build/tests.xml").unlink()
        self.assertEqual(self.passed(), set())


if __name__ == "__main__":
    unittest.main()
