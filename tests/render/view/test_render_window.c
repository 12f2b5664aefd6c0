#define _POSIX_C_SOURCE 200809L
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stb/stb_image.h>

/* `msd view` as users run it, on a virtual display (Xvfb), with keys and pointer from xdotool. These tests are
   skipped where the programs are missing. */

static char folder[64];

static void make_folder(void) {
  snprintf(folder, sizeof folder, "/tmp/msd_test_window_XXXXXX");
  cr_assert(mkdtemp(folder) != NULL);
}

static void remove_folder(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  cr_expect(system(command) == 0);
}

/* Runs a line of shell in the folder, where $MSD is the command, and returns its status and output. Leaks are
   not looked for, because the OpenGL driver has some. */
static int shell(const char *line, char *output, size_t size) {
  char command[4096];
  snprintf(command, sizeof command,
           "cd '%s' && MSD='%s' ASAN_OPTIONS=detect_leaks=0 && export MSD ASAN_OPTIONS && { %s ; } 2>&1",
           folder, MSD_COMMAND, line);
  FILE *pipe = popen(command, "r");
  cr_assert(pipe != NULL);
  size_t used = fread(output, 1, size - 1, pipe);
  output[used] = '\0';
  int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static void need(const char *program) {
  char line[128], output[16];
  snprintf(line, sizeof line, "command -v %s >/dev/null", program);
  if (shell(line, output, sizeof output) != 0)
    cr_skip_test("%s is not installed: no display to test on", program);
}

#define XVFB "xvfb-run -a -s '-screen 0 800x600x24' "

TestSuite(window, .init = make_folder, .fini = remove_folder);

Test(window, without_a_display_it_says_so) {
  char output[1024];
  cr_expect_eq(shell("env -u DISPLAY -u WAYLAND_DISPLAY $MSD view hanging_rope", output, sizeof output), 1);
  cr_expect(strstr(output, "msd view: ") == output && strstr(output, "msd run --png") != NULL, "%s", output);
  cr_expect(strchr(output, '\n') == output + strlen(output) - 1, "one line: %s", output);
}

Test(window, bad_usage_is_told_before_a_window_opens) {
  char output[1024];
  const char *bad[] = {"$MSD view",
                       "$MSD view no_such_scene",
                       "$MSD view hanging_rope --frames 0",
                       "$MSD view hanging_rope --png a.png",
                       "$MSD view hanging_rope --size 10x10",
                       "$MSD view hanging_rope --color red",
                       "$MSD view hanging_rope --frames 3 --paused",
                       "$MSD view hanging_rope --camera up"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    cr_expect_eq(shell(bad[i], output, sizeof output), 2, "%s: %s", bad[i], output);
}

Test(window, frames_end_with_a_picture_of_the_window) {
  need("xvfb-run");
  char output[1024];
  int status =
      shell(XVFB "$MSD view hanging_cloth --frames 4 --size 320x200 --png out.png", output, sizeof output);
  cr_assert_eq(status, 0, "%s", output);
  cr_expect_str_eq(output, "");
  char path[128];
  snprintf(path, sizeof path, "%s/out.png", folder);
  int width, height, channels, blue = 0;
  unsigned char *pixels = stbi_load(path, &width, &height, &channels, 3);
  cr_assert(pixels != NULL && width == 320 && height == 200);
  for (int i = 0; i < width * height; i++)
    blue += pixels[3 * i + 2] > pixels[3 * i] + 60;
  cr_expect(blue > 2000 && blue < 32000, "%d pixels are of the cloth", blue);
  stbi_image_free(pixels);
}

/* Pauses, steps twice, cuts across the picture, saves a picture, begins again, pulls, resizes, tunes, and
   quits. */
Test(window, keys_and_pointer_do_what_the_help_says) {
  need("xvfb-run");
  need("xdotool");
  char output[2048];
  int status =
      shell(XVFB "sh -c '"
                 "timeout 1000 $MSD view hanging_cloth --size 320x240 & msd=$!; "
                 "saved() { until [ -s hanging_cloth-$1.png ] || ! kill -0 $msd; do sleep 0.1; done; }; "
                 "id=$(timeout 1000 xdotool search --sync --onlyvisible --name msd | head -1); "
                 "timeout 1000 xdotool windowfocus --sync $id; "
                 "xdotool key --window $id space key --window $id period key --window $id period; "
                 "xdotool mousemove 60 120 keydown shift mousedown 1 mousemove 160 125 sleep 0.3 "
                 "mousemove 260 120 mouseup 1 keyup shift; "
                 "xdotool key --window $id p; saved 1; xdotool key --window $id r key --window $id space; "
                 "xdotool mousemove 160 110 mousedown 1 mousemove 200 60 sleep 0.3 mouseup 1; "
                 "xdotool windowsize $id 400 300; sleep 0.5; xdotool key --window $id c key --window $id t; "
                 "xdotool key --window $id p; saved 2; xdotool key --window $id q; wait $msd'",
            output, sizeof output);
  cr_expect_eq(status, 0, "%s", output);
  for (int i = 1; i <= 2; i++) {
    char path[128];
    snprintf(path, sizeof path, "%s/hanging_cloth-%d.png", folder, i);
    int width, height, channels;
    cr_expect(stbi_info(path, &width, &height, &channels), "picture %d was not saved", i);
  }
}
