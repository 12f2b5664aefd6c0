/* msd run --save and --resume. */
#include "tests/support/command.h"
#include "tests/support/share.h"

#include "app/run/checkpoint.h"

#include <math.h>
#include <signal.h>
#include <time.h>

TestSuite(checkpoint, .init = command_setup, .fini = command_teardown);

Test(checkpoint, a_resumed_run_ends_with_the_hash_of_one_that_never_stopped) {
  const char *const scenes[] = {"rope", "mixed", "ball"};
  for (int i = 0; i < 3; i++) {
    const char *whole = hash_of(msd("run %s.json --duration 2 --json", scenes[i]));
    cr_assert_eq(msd("run %s.json --duration 0.75 --save c", scenes[i]).status, 0);
    command_result resumed = msd("run %s.json --resume c --duration 2 --json", scenes[i]);
    cr_assert_eq(resumed.status, 0, "%s", resumed.err);
    cr_expect_str_eq(hash_of(resumed), whole, "%s", scenes[i]);
    json_t *summary = parse_json(resumed.out);
    cr_expect_eq(number_of(summary, "frames"), 128);
    cr_expect_eq(number_of(summary, "resumed_from"), 48);
    cr_expect_eq(number_of(summary, "total_substeps"), 128 * number_of(summary, "substeps"));
  }
}

Test(checkpoint, settings_of_the_first_part_are_kept) {
  const char *options = "--frame-time 0.0078125 --substeps 3 --integrator velocity_verlet --clamp-stiffness";
  const char *whole = hash_of(msd("run rope.json --duration 1 --json %s", options));
  cr_assert_eq(msd("run rope.json --duration 0.5 --save c %s", options).status, 0);
  command_result resumed = msd("run rope.json --resume c --duration 1 --json");
  cr_expect_str_eq(hash_of(resumed), whole);
  cr_expect_str_eq(text_of(parse_json(resumed.out), "integrator"), "velocity_verlet");
}

/* Thousands of frames, then one. */
Test(checkpoint, a_resumed_run_counts_the_time_of_the_first_part) {
  json_t *first = parse_json(msd("run rope.json --duration 100 --save c --json").out);
  json_t *both = parse_json(msd("run rope.json --duration 100.015625 --resume c --json").out);
  cr_expect_eq(number_of(both, "frames"), 6401);
  cr_expect_gt(number_of(both, "wall_seconds"), number_of(first, "wall_seconds"));
}

Test(checkpoint, a_resumed_run_completes_the_trace) {
  cr_assert_eq(msd("run rope.json --duration 1 --trace whole.csv --every 3").status, 0);
  cr_assert_eq(msd("run rope.json --duration 0.5 --trace t.csv --every 3 --save c").status, 0);
  command_result resumed = msd("run rope.json --duration 1 --trace t.csv --every 3 --resume c");
  cr_assert_eq(resumed.status, 0, "%s", resumed.err);
  cr_expect_str_eq(read_text("t.csv"), read_text("whole.csv"));
}

Test(checkpoint, a_new_trace_of_a_resumed_run_begins_after_the_checkpoint) {
  cr_assert_eq(msd("run ball.json --duration 0.5 --save c").status, 0);
  cr_assert_eq(msd("run ball.json --duration 1 --resume c --trace t.csv").status, 0);
  int count;
  trace_row *rows = read_trace("t.csv", &count);
  cr_assert_eq(count, 32);
  cr_expect_eq(rows[0].time, 33.0 / 64);
  cr_expect_eq(rows[31].time, 1);
}

Test(checkpoint, another_trace_is_not_overwritten_by_a_resumed_run) {
  cr_assert_eq(msd("run rope.json --duration 0.5 --save c --trace t.csv").status, 0);
  char *text = read_text("t.csv");
  write_file("short.csv", text, strlen(text) / 2);
  write_file("notes.csv", "my notes\n", 9);
  expect_refused(msd("run rope.json --duration 1 --resume c --trace short.csv"), 2, "short.csv");
  expect_refused(msd("run rope.json --duration 1 --resume c --trace notes.csv"), 2, "notes.csv");
  cr_expect_str_eq(read_text("notes.csv"), "my notes\n");
}

/* The text without what follows its first `rows` lines. */
static void write_rows(const char *name, const char *text, int rows) {
  const char *end = text;
  while (rows-- > 0)
    end = strchr(end, '\n') + 1;
  write_file(name, text, (size_t)(end - text));
}

/* A frame of the rope has 20 rows, and there are 33 with the one of the start. */
Test(checkpoint, a_trace_that_lacks_a_particle_or_a_frame_is_not_continued) {
  cr_assert_eq(msd("run rope.json --duration 0.5 --save c --trace t.csv").status, 0);
  const char *text = read_text("t.csv");
  const int rows = count_lines(text) - 1, particles = rows / 33;
  cr_assert_eq(rows, 33 * particles);
  write_rows("particle.csv", text, rows);
  write_rows("frame.csv", text, 1 + rows - particles);
  write_rows("whole.csv", text, 1 + rows);
  expect_refused(msd("run rope.json --duration 1 --resume c --trace particle.csv"), 2, "particle.csv");
  expect_refused(msd("run rope.json --duration 1 --resume c --trace frame.csv"), 2, "frame.csv");
  cr_expect_eq(msd("run rope.json --duration 1 --resume c --trace whole.csv").status, 0);
}

Test(checkpoint, nothing_left_to_do_is_no_error) {
  command_result first = msd("run rope.json --save c --json");
  command_result again = msd("run rope.json --resume c --json");
  cr_expect_eq(again.status, 0);
  cr_expect_str_eq(hash_of(again), hash_of(first));
}

/* Whether these bytes, written to `path`, are taken for a checkpoint of the scene. */
static bool is_loaded(const char *path, const char *bytes, size_t size, scene *s, uint64_t fingerprint) {
  FILE *file = fopen(path, "wb");
  cr_assert_not_null(file);
  cr_assert_eq(fwrite(bytes, 1, size, file), size);
  fclose(file);
  checkpoint c;
  problem p = {""};
  const bool done = checkpoint_load(path, s, fingerprint, &c, &p);
  cr_expect(done || strncmp(p.text, path, strlen(path)) == 0, "it says: %s", p.text);
  return done;
}

/* Every cut and every changed byte is found, wherever it is, and changes nothing. */
Test(checkpoint, a_damaged_file_is_not_loaded) {
  cr_assert_eq(msd("run ball.json --duration 0.5 --save c").status, 0);
  size_t size;
  char *good = read_bytes("c", &size), *path = in_folder("damaged");
  scene_error cause;
  scene *s = scene_load(in_folder("ball.json"), &cause);
  cr_assert_not_null(s, "%s", cause.text);
  const uint64_t fingerprint = checkpoint_fingerprint(s), start = msd_world_hash(s->world);
  for (size_t at = 0; at < size; at += in_part ? 7 : 1) {
    cr_expect_not(is_loaded(path, good, at, s, fingerprint), "cut after %zu bytes", at);
    good[at] ^= 0x10;
    cr_expect_not(is_loaded(path, good, size, s, fingerprint), "byte %zu is another", at);
    good[at] ^= 0x10;
  }
  cr_expect_not(is_loaded(path, good, size + 1, s, fingerprint), "a byte too many");
  cr_expect_eq(msd_world_hash(s->world), start);
  cr_expect(is_loaded(path, good, size, s, fingerprint));
  scene_free(s);
}

Test(checkpoint, a_damaged_file_is_refused_in_one_line) {
  cr_assert_eq(msd("run ball.json --duration 0.5 --save c").status, 0);
  size_t size;
  char *bytes = read_bytes("c", &size);
  write_file("cut", bytes, size / 2);
  expect_refused(msd("run ball.json --resume cut"), 2, "cut: ");
  write_file("longer", bytes, size + 1);
  expect_refused(msd("run ball.json --resume longer"), 2, "longer: ");
  bytes[size / 2] ^= 0x10;
  write_file("bad", bytes, size);
  expect_refused(msd("run ball.json --resume bad"), 2, "bad: ");
  expect_refused(msd("run ball.json --resume ball.json"), 2, "not a checkpoint");
  expect_refused(msd("run ball.json --resume nowhere"), 2, "nowhere");
}

Test(checkpoint, a_file_of_another_scene_is_refused) {
  cr_assert_eq(msd("run ball.json --duration 0.5 --save c").status, 0);
  expect_refused(msd("run rope.json --resume c"), 2, "ball");
}

Test(checkpoint, a_file_of_a_scene_that_has_changed_is_refused) {
  cr_assert_eq(msd("run rope.json --duration 0.5 --save c").status, 0);
  char *text = read_text("rope.json");
  char *stiffness = strstr(text, "100");
  cr_assert_not_null(stiffness);
  stiffness[0] = '2';
  write_file("rope.json", text, strlen(text));
  expect_refused(msd("run rope.json --resume c"), 2, "another version");
}

/* A rope whose pin is led aside, and a spring of which breaks. */
static const char led[] =
    "{ \"msd\": 1, \"frame_time\": 0.015625, \"substeps\": 4, \"duration\": 2, \"bodies\": [ { \"type\": "
    "\"rope\", "
    "\"name\": \"r\", \"particles\": 9, \"pinned\": [\"first\"], \"stretch\": { \"stiffness\": 100 } } ], "
    "\"animation\": [ { \"particles\": [\"r\", 0], \"keyframes\": [ { \"time\": 0.25 }, { \"time\": 1.5, "
    "\"offset\": "
    "[1, 0, 3], \"rotation\": [0, 400, 0] } ] }, { \"cut\": [\"r\", 5, 6], \"time\": 1 } ] }";

Test(checkpoint, a_run_goes_on_in_the_middle_of_a_motion_and_before_and_after_a_cut) {
  write_file("led.json", led, strlen(led));
  command_result whole = msd("run led.json --json");
  cr_assert_eq(whole.status, 0, "%s", whole.err);
  const char *hash = hash_of(whole);
  const char *const stops[] = {"0.125", "0.984375", "1", "1.75"};
  for (int i = 0; i < 4; i++) {
    cr_assert_eq(msd("run led.json --duration %s --save c", stops[i]).status, 0);
    cr_expect_str_eq(hash_of(msd("run led.json --duration 2 --resume c --json")), hash, "at %s s", stops[i]);
  }
}

Test(checkpoint, a_file_of_a_scene_whose_motions_have_changed_is_refused) {
  write_file("led.json", led, strlen(led));
  cr_assert_eq(msd("run led.json --duration 0.5 --save c").status, 0);
  char *text = read_text("led.json");
  strstr(text, "400")[0] = '5';
  write_file("led.json", text, strlen(text));
  expect_refused(msd("run led.json --resume c"), 2, "another version");
}

Test(checkpoint, what_does_not_fit_the_checkpoint_is_refused) {
  cr_assert_eq(msd("run rope.json --duration 0.5 --save c").status, 0);
  expect_refused(msd("run rope.json --resume c --frame-time 0.01"), 2, "--frame-time");
  expect_refused(msd("run rope.json --resume c --duration 0.25"), 2, "--duration");
}

/* A checkpoint of the ball with `count` bytes changed at `at`, and the checksum (FNV-1a) made anew, as
   anybody can. */
static void forge(const char *name, size_t at, const void *bytes, size_t count) {
  size_t size;
  char *file = read_bytes("c", &size);
  memcpy(file + at, bytes, count);
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size - 8; i++)
    hash = (hash ^ (unsigned char)file[i]) * 0x100000001b3u;
  for (int i = 0; i < 8; i++)
    file[size - 8 + (size_t)i] = (char)(hash >> (8 * i));
  write_file(name, file, size);
}

Test(checkpoint, a_file_of_the_other_precision_is_refused) {
  cr_assert_eq(msd("run ball.json --duration 0.5 --save c").status, 0);
  forge("other", 12, &(uint32_t){sizeof(msd_real) == 8 ? 4 : 8}, 4);
  expect_refused(msd("run ball.json --resume other"), 2, "precision");
}

/* Where the fields of the run stand behind the name "ball". */
enum {
  FRAME_AT = 8 + 4 + 4 + 4 + 4 + 8,
  DURATION_AT = FRAME_AT + 8,
  STEP_AT = DURATION_AT + 8,
  WALL_AT = STEP_AT + 8,
  SUBSTEPS_AT = WALL_AT + 8
};

static void expect_forged_number(size_t at, double value, const char *words) {
  forge("forged", at, &value, sizeof value);
  expect_refused(msd("run ball.json --resume forged --duration 2"), 2, words);
}

Test(checkpoint, numbers_that_no_run_has_are_refused_behind_a_right_checksum) {
  cr_assert_eq(msd("run ball.json --duration 0.5 --save c").status, 0);
  const int64_t frames[] = {-1, INT64_MIN, INT64_MAX};
  for (int i = 0; i < 3; i++) {
    forge("forged", FRAME_AT, &frames[i], 8);
    expect_refused(msd("run ball.json --resume forged --duration 2"), 2, "frame");
  }
  const int32_t substeps[] = {-1, INT32_MAX, INT32_MIN};
  for (int i = 0; i < 3; i++) {
    forge("forged", SUBSTEPS_AT, &substeps[i], 4);
    expect_refused(msd("run ball.json --resume forged --duration 2"), 2, "substeps");
  }
  expect_forged_number(WALL_AT, (double)NAN, "wall time");
  expect_forged_number(WALL_AT, -1, "wall time");
  expect_forged_number(DURATION_AT, (double)INFINITY, "duration");
  expect_forged_number(STEP_AT, (double)NAN, "frame time");
  expect_forged_number(STEP_AT, 0, "frame time");
  expect_forged_number(STEP_AT, -0.1, "frame time");
  if (sizeof(msd_real) == sizeof(float))
    expect_forged_number(STEP_AT, 1e-320, "frame time"); /* above 0 in a double, and not in a float */
}

Test(checkpoint, a_diverging_run_keeps_the_checkpoint_before) {
  /* The spring of the scene blows up: 3 frames are finite, and are saved although the run is unstable. */
  cr_assert_eq(msd("run bomb.json --duration 0.3 --save c").status, 1);
  size_t size, after_size;
  char *before = read_bytes("c", &size);
  cr_assert_eq(msd("run bomb.json --resume c --duration 10 --save c").status, 1);
  char *after = read_bytes("c", &after_size);
  cr_assert_eq(after_size, size);
  cr_expect_eq(memcmp(before, after, size), 0);
  /* And with enough substeps the run goes on from there. */
  cr_expect_eq(msd("run bomb.json --resume c --duration 10 --substeps auto").status, 0);
}

/* Neither waits for what will never come, nor reads what never ends. */
Test(checkpoint, only_ordinary_files_of_a_plausible_size_are_read, .timeout = 20) {
  cr_assert_eq(mkfifo(in_folder("pipe"), 0666), 0);
  expect_refused(msd("run ball.json --resume pipe"), 2, "pipe: is a pipe");
  expect_refused(msd("run ball.json --resume /dev/zero"), 2, "/dev/zero: is a device");
  expect_refused(msd("run ball.json --resume ."), 2, "is a folder");
  cr_assert_eq(msd("run ball.json --duration 0.5 --save c").status, 0);
  cr_assert_eq(truncate(in_folder("c"), 1 << 30), 0);
  expect_refused(msd("run ball.json --resume c"), 2, "1074 MB");
}

/* Starts `msd run SCENE ...` and returns its process. */
static pid_t start(char *const arguments[]) {
  pid_t child = fork();
  cr_assert_geq(child, 0);
  if (child == 0) {
    if (chdir(command_folder) != 0 || freopen(".out", "w", stdout) == NULL ||
        freopen(".err", "w", stderr) == NULL)
      _exit(99);
    alarm(1000); /* ends it should the test fail */
    execv(MSD_COMMAND, arguments);
    _exit(98);
  }
  return child;
}

static void pause_for(double seconds) {
  struct timespec time = {.tv_sec = (time_t)seconds,
                          .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&time, NULL);
}

/* Waits until a file is there, far longer than that should take. */
static void wait_for(const char *name) {
  for (int i = 0; i < 50000 && !exists(name); i++)
    pause_for(0.01);
  cr_assert(exists(name), "%s did not appear", name);
}

static int wait_status(pid_t child) {
  int status = 0;
  cr_assert_eq(waitpid(child, &status, 0), child);
  return exit_status(status);
}

#define ENDLESS (char *)"msd", (char *)"run", (char *)"rope.json", (char *)"--duration", (char *)"1e7"

/* The frame that an interrupted run reached; its trace and its checkpoint must have reached it, too. */
static void expect_stopped_cleanly(int signal_number, int status) {
  pid_t child = start((char *[]){ENDLESS, "--every", "1000", "--trace", "t.csv", "--save", "c",
                                 "--save-every", "20000", "--json", NULL});
  wait_for("c");
  kill(child, signal_number);
  cr_assert_eq(wait_status(child), status);
  json_t *summary = parse_json(read_text(".out"));
  cr_expect(json_is_true(json_object_get(summary, "interrupted")));
  cr_expect(json_is_false(json_object_get(summary, "diverged")));
  int frames = (int)number_of(summary, "frames");
  int count;
  trace_row *rows = read_trace("t.csv", &count);
  cr_expect_eq(rows[count - 1].time, (double)(frames / 1000 * 1000) / 64);

  command_result resumed =
      msd("run rope.json --resume c --duration %.17g --json", (double)(frames + 100) / 64);
  cr_assert_eq(resumed.status, 0, "%s", resumed.err);
  cr_expect_eq(number_of(parse_json(resumed.out), "resumed_from"), frames);
  cr_expect_str_eq(hash_of(resumed),
                   hash_of(msd("run rope.json --json --duration %.17g", (double)(frames + 100) / 64)));
}

Test(checkpoint, control_c_stops_cleanly_with_what_was_computed) {
  expect_stopped_cleanly(SIGINT, 130);
}

Test(checkpoint, sigterm_stops_cleanly_with_what_was_computed) {
  expect_stopped_cleanly(SIGTERM, 143);
}

Test(checkpoint, a_lost_terminal_stops_cleanly_with_what_was_computed, .timeout = 60) {
  expect_stopped_cleanly(SIGHUP, 129);
}

/* A frame that takes minutes, of a cloth that swings. */
static const char LONG_FRAMES[] =
    "{\"msd\": 1, \"frame_time\": 1, \"substeps\": 1000000, \"duration\": 10, \"bodies\": [{\"type\": "
    "\"cloth\", \"columns\": 300, \"rows\": 300, \"mass\": 1, \"pinned\": [\"top\"], \"stretch\": "
    "{\"stiffness\": 10, \"damping\": 0.001}}]}";

Test(checkpoint, a_long_frame_is_told_of_and_given_up_when_the_run_is_stopped, .timeout = 60) {
  write_file("long.json", LONG_FRAMES, sizeof LONG_FRAMES - 1);
  pid_t child = start((char *[]){"msd", "run", "long.json", "--save", "c", "--json", NULL});
  wait_for(".err");
  for (int i = 0; i < 1000 && strstr(read_text(".err"), "a frame takes about") == NULL; i++)
    pause_for(0.01);
  cr_assert_not_null(strstr(read_text(".err"), "a frame takes about"), "%s", read_text(".err"));
  cr_assert_not_null(strstr(read_text(".err"), "1000000 substeps"), "%s", read_text(".err"));
  pause_for(0.3); /* to be in the middle of the first frame */
  kill(child, SIGINT);
  cr_assert_eq(wait_status(child), 130);
  json_t *summary = parse_json(read_text(".out"));
  cr_expect(json_is_true(json_object_get(summary, "interrupted")));
  cr_expect_eq(number_of(summary, "frames"), 0);
  cr_expect_eq(number_of(summary, "total_substeps"), 0);
  cr_expect_str_eq(text_of(summary, "hash"), hash_of(msd("run long.json --duration 0 --json")));
  /* The frame is computed anew from there, as it would have been. */
  const char *resumed = hash_of(msd("run long.json --resume c --duration 1 --substeps 500 --json"));
  cr_expect_str_eq(resumed, hash_of(msd("run long.json --duration 1 --substeps 500 --json")));
}

/* nohup ignores SIGHUP, a shell ignores Ctrl-C for what runs in its background. */
Test(checkpoint, signals_that_were_ignored_from_the_start_stay_ignored, .timeout = 60) {
  signal(SIGINT, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  pid_t child = start((char *[]){ENDLESS, "--save", "c", "--save-every", "20000", NULL});
  wait_for("c");
  kill(child, SIGINT);
  kill(child, SIGHUP);
  unlink(in_folder("c"));
  wait_for("c"); /* it goes on */
  kill(child, SIGTERM);
  cr_assert_eq(wait_status(child), 143);
}

/* The trace passes the limit on the size of files; the checkpoint is smaller. */
Test(checkpoint, a_file_that_cannot_grow_ends_the_run_with_a_checkpoint_and_no_remains) {
  static const char limited[] = "ulimit -f 64; exec \"$@\"\n";
  write_file("limited.sh", limited, strlen(limited));
  command_result result = {
      .status = exit_status(system(format_text(
          "cd '%s' && sh limited.sh '%s' run rope.json --duration 100 --trace t.csv --save c >out 2>err",
          command_folder, MSD_COMMAND)))};
  cr_expect_eq(result.status, 3);
  cr_expect_not_null(strstr(read_text("err"), "t.csv.part"), "%s", read_text("err"));
  cr_expect_not(exists("t.csv"));
  cr_expect_not(exists("t.csv.part"));
  cr_assert(exists("c"));
  result = msd("run rope.json --resume c --duration 200 --json");
  cr_expect_eq(result.status, 0, "%s", result.err);
  cr_expect_str_eq(hash_of(result), hash_of(msd("run rope.json --duration 200 --json")));
}

Test(checkpoint, a_killed_run_leaves_a_whole_checkpoint_and_its_trace_goes_on) {
  pid_t child = start(
      (char *[]){ENDLESS, "--every", "1000", "--trace", "t.csv", "--save", "c", "--save-every", "500", NULL});
  wait_for("c");
  pause_for(0.2); /* checkpoints follow each other closely: it is likely to be killed inside one */
  kill(child, SIGKILL);
  cr_assert_eq(wait_status(child), 1000 + SIGKILL);
  cr_expect_not(exists("t.csv"), "an unfinished trace stands where a finished one would");

  /* A run that is to end before the checkpoint says where that is. */
  command_result refused = msd("run rope.json --resume c --duration 0");
  const char *place = strstr(refused.err, "at frame ");
  cr_assert_not_null(place, "%s", refused.err);
  double time = (strtod(place + strlen("at frame "), NULL) + 1500) / 64;
  command_result resumed =
      msd("run rope.json --resume c --trace t.csv --every 1000 --json --duration %.17g", time);
  cr_assert_eq(resumed.status, 0, "%s", resumed.err);
  command_result whole = msd("run rope.json --trace whole.csv --every 1000 --json --duration %.17g", time);
  cr_expect_str_eq(hash_of(resumed), hash_of(whole));
  cr_expect_str_eq(read_text("t.csv"), read_text("whole.csv"));
}
