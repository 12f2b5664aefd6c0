/* The mistakes of newcomers: each gets one line with the place, what is wrong and what would be right. */
#include "tests/support/command.h"

static void write_text(const char *name, const char *text) {
  write_file(name, text, strlen(text));
}

static void mistakes_setup(void) {
  command_setup();
  write_text("square.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
  write_text("fin.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nf 1 2 3\nf 2 1 4\nf 1 2 5\n");
  write_text("garbage.glb", "garbage");
  write_text("garbage.obj", "garbage\n");
  write_text("square.fbx", "x");
}

TestSuite(mistakes, .init = mistakes_setup, .fini = command_teardown);

#define OPEN_CLOTH "{`msd`: 1, `bodies`: [{`type`: `cloth`, `columns`: 4, `rows`: 4, `pinned`: [`top`]"

/* With double quotes for `, and the scenes that @ and # stand for. */
static const char *expand(const char *text) {
  char out[4096] = "";
  size_t used = 0;
  for (; *text; text++) {
    const char *part = *text == '@' ? OPEN_CLOTH : *text == '#' ? OPEN_CLOTH "}]" : NULL;
    used += (size_t)(part ? snprintf(out + used, sizeof out - used, "%s", part)
                          : snprintf(out + used, sizeof out - used, "%c", *text));
  }
  for (char *c = out; *c; c++)
    *c = *c == '`' ? '"' : *c;
  return format_text("%s", out);
}

static void expect_line(const char *name, command_result result, int status, const char *line) {
  cr_expect_eq(result.status, status, "%s: exit status %d: %s", name, result.status, result.err);
  cr_expect_eq(strncmp(result.err, line, strlen(line)), 0, "%s\n  %s  and not %s", name, result.err, line);
  cr_expect(status == 0 || count_lines(result.err) == 1, "%s: more than a line: %s", name, result.err);
}

static void make_mistake(const char *name, int status, const char *scene, const char *line) {
  write_text("t.json", expand(scene));
  expect_line(name, msd("run t.json"), status,
              format_text("msd run: %st.json:%s%s", status == 0 ? "warning: " : "",
                          line[0] && line[1] == ':' ? "" : " ", expand(line)));
}

static void make_command(const char *name, int status, const char *arguments, const char *scene,
                         const char *line) {
  if (scene)
    write_text("t.json", expand(scene));
  expect_line(name, msd("%s", arguments), status, expand(line));
}

Test(mistakes, of_newcomers_get_one_line_with_place_and_remedy) {
#define MISTAKE(name, status, scene, line)            make_mistake(#name, status, scene, line);
#define COMMAND(name, status, arguments, scene, line) make_command(#name, status, arguments, scene, line);
#include "tests/app/mistakes.inc"
#undef MISTAKE
#undef COMMAND
}
