/* Command lines: words parted by newlines. Files stay in a folder of their own, runs are short, and no other
   program is started. */
#include "app/commands.h"
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 24, BYTES_MAX = 400 };

static const char SCENE[] = "{\"msd\":1,\"duration\":0.05,\"bodies\":[{\"type\":\"rope\",\"particles\":6,"
                            "\"pinned\":[\"first\"]},{\"type\":\"cloth\",\"columns\":4,\"rows\":4}]}";

/* Other places, other programs, a display, and what takes long. */
static const char *const LEFT_OUT[] = {"/", "..", "video", "plot", "view", "fps", "bench", "png"};

static bool is_left_out(const char *text) {
  for (size_t n = 0; n < sizeof LEFT_OUT / sizeof *LEFT_OUT; n++)
    if (strstr(text, LEFT_OUT[n]))
      return true;
  return false;
}

/* What the command says is not looked at. */
static void be_quiet(void) {
  static bool quiet;
  if (quiet)
    return;
  quiet = true;
  const int nowhere = open("/dev/null", O_WRONLY);
  EXPECT(nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  if (size > BYTES_MAX)
    return 0;
  char text[BYTES_MAX + 1], *words[WORDS_MAX + 1] = {NULL};
  memcpy(text, bytes, size);
  text[size] = '\0';
  if (is_left_out(text))
    return 0;
  fuzz_enter_folder();
  be_quiet();
  fuzz_write_file("rope.json", (const uint8_t *)SCENE, strlen(SCENE));
  int count = 0;
  for (char *word = strtok(text, "\n"); word && count < WORDS_MAX - 3; word = strtok(NULL, "\n"))
    words[count++] = word;
  if (count == 0)
    return 0;
  int status = STATUS_DONE;
  if (strcmp(words[0], "run") == 0) {
    words[count++] = "--duration";
    words[count++] = "0.02";
    status = command_run(count, words);
  } else if (strcmp(words[0], "info") == 0) {
    status = command_info(count, words);
  } else if (strcmp(words[0], "list") == 0) {
    status = command_list(count, words);
  } else if (strcmp(words[0], "spring") == 0) {
    status = command_spring(count, words);
  }
  EXPECT(status >= STATUS_DONE && status <= STATUS_BAD_INPUT);
  return 0;
}
