/* Runs the built msd command in a folder of its own, with small scenes whose answers are known. */
#ifndef MSD_TESTS_SUPPORT_COMMAND_H
#define MSD_TESTS_SUPPORT_COMMAND_H

#include <criterion/criterion.h>
#include <jansson.h>
#include <msd/msd.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A free particle. Every number of its fall is a multiple of a power of two, and so exact in floats. */
static const char BALL[] =
    "{\"msd\": 1, \"title\": \"Ball\", \"gravity\": [0, -8, 0], \"frame_time\": 0.015625, "
    "\"substeps\": 1, \"duration\": 1, \"bodies\": [{\"type\": \"particles\", \"name\": \"ball\", "
    "\"position\": [[0, 0, 0]], \"velocity\": [[2, 0, 0]], \"mass\": [1]}]}";

/* A swinging rope of 10 particles and 17 springs, far from its limit. */
static const char ROPE[] = "{\"msd\": 1, \"title\": \"Rope\", \"frame_time\": 0.015625, \"substeps\": 4, "
                           "\"duration\": 1, \"bodies\": "
                           "[{\"type\": \"rope\", \"name\": \"r\", \"from\": [0, 2, 0], \"to\": [1, 2, 0], "
                           "\"particles\": 10, \"mass\": 1, "
                           "\"pinned\": [\"first\"], \"stretch\": {\"stiffness\": 100, \"damping\": 0.5}, "
                           "\"bend\": {\"stiffness\": 5, "
                           "\"damping\": 0.1}}]}";

/* A surface, lines, a joint between them, and a loose point. Particles 0..11 cloth, 12..15 rope, 16 ball. */
static const char MIXED[] =
    "{\"msd\": 1, \"title\": \"Mixed\", \"frame_time\": 0.015625, \"substeps\": \"auto\", \"duration\": "
    "0.25, "
    "\"bodies\": [{\"type\": \"cloth\", \"name\": \"table cloth\", \"origin\": [0, 1, 0], \"u\": [1, 0, 0], "
    "\"v\": "
    "[0, 0, 1], \"columns\": 4, \"rows\": 3, \"mass\": 1, \"pinned\": [\"top\"], \"stretch\": "
    "{\"stiffness\": 200, "
    "\"damping\": 0.5}}, {\"type\": \"rope\", \"name\": \"r\", \"from\": [0, 1, 1], \"to\": [0, 0, 1], "
    "\"particles\": 4, "
    "\"mass\": 0.5, \"stretch\": {\"stiffness\": 100, \"damping\": 0.1}, \"bend\": {\"stiffness\": 1, "
    "\"damping\": 0}}, "
    "{\"type\": \"particles\", \"name\": \"ball\", \"position\": [[3, 3, 3]], \"mass\": [1]}], "
    "\"connections\": "
    "[{\"between\": [\"r\", \"first\", \"table cloth\", \"bottom_left\"], \"rest_length\": 0, \"stiffness\": "
    "100, "
    "\"damping\": 0.5}]}";

/* Two unit masses and a spring of 1e6 N/m: symplectic Euler can take dt = 2 / sqrt(2 k) = 1.4 ms, not 100
   ms. */
static const char BOMB[] =
    "{\"msd\": 1, \"gravity\": [0, 0, 0], \"frame_time\": 0.1, \"substeps\": 1, \"duration\": 10, "
    "\"bodies\": [{\"type\": \"particles\", \"name\": \"pair\", \"position\": [[0, 0, 0], [1, 0, 0]], "
    "\"mass\": [1, 1], \"springs\": [{\"between\": [0, 1], \"rest_length\": 0.9, \"stiffness\": "
    "1e6, \"damping\": 0}]}]}";

static char command_folder[] = "/tmp/msd_command_XXXXXX";

/* What a test took and the teardown gives back, so that a test reads as what it claims. */
enum { KEPT_MAX = 8192 };

typedef struct kept_items {
  void *memory[KEPT_MAX];
  json_t *json[KEPT_MAX];
  int memory_count, json_count;
} kept_items;

static kept_items kept;

/* Zeroed memory that lasts until the teardown. */
static inline void *take_memory(size_t bytes) {
  void *memory = calloc(1, bytes);
  cr_assert_not_null(memory);
  cr_assert_lt(kept.memory_count, KEPT_MAX);
  kept.memory[kept.memory_count++] = memory;
  return memory;
}

static inline char *format_text(const char *format, ...) {
  char text[8192];
  va_list values;
  va_start(values, format);
  int length = vsnprintf(text, sizeof text, format, values);
  va_end(values);
  cr_assert(length >= 0 && (size_t)length < sizeof text);
  return strcpy(take_memory((size_t)length + 1), text);
}

static inline char *in_folder(const char *name) {
  return format_text("%s/%s", command_folder, name);
}

static inline bool exists(const char *name) {
  struct stat status;
  return stat(in_folder(name), &status) == 0;
}

static inline void write_file(const char *name, const void *bytes, size_t size) {
  FILE *stream = fopen(in_folder(name), "wb");
  cr_assert_not_null(stream, "%s", name);
  cr_assert_eq(fwrite(bytes, 1, size, stream), size);
  fclose(stream);
}

/* The bytes of a file, ended by a zero that *size does not count. */
static inline char *read_bytes(const char *name, size_t *size) {
  FILE *stream = fopen(in_folder(name), "rb");
  cr_assert_not_null(stream, "%s is not there", name);
  fseek(stream, 0, SEEK_END);
  long length = ftell(stream);
  rewind(stream);
  char *bytes = take_memory((size_t)length + 1);
  cr_assert_eq(fread(bytes, 1, (size_t)length, stream), (size_t)length);
  fclose(stream);
  if (size != NULL)
    *size = (size_t)length;
  return bytes;
}

static inline char *read_text(const char *name) {
  return read_bytes(name, NULL);
}

static inline void command_setup(void) {
  cr_assert_not_null(mkdtemp(command_folder));
  write_file("ball.json", BALL, strlen(BALL));
  write_file("rope.json", ROPE, strlen(ROPE));
  write_file("mixed.json", MIXED, strlen(MIXED));
  write_file("bomb.json", BOMB, strlen(BOMB));
}

static inline void command_teardown(void) {
  char *remove = format_text("rm -rf '%s'", command_folder);
  cr_expect_eq(system(remove), 0);
  while (kept.memory_count > 0)
    free(kept.memory[--kept.memory_count]);
  while (kept.json_count > 0)
    json_decref(kept.json[--kept.json_count]);
}

typedef struct command_result {
  int status; /* of the exit; 1000 and more: ended by a signal */
  char *out, *err;
} command_result;

static inline int exit_status(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 1000 + WTERMSIG(wait_status);
}

/* Runs `msd ARGUMENTS` in the test's folder, as a shell would. */
static inline command_result msd(const char *format, ...) {
  va_list values;
  va_start(values, format);
  char arguments[4096];
  vsnprintf(arguments, sizeof arguments, format, values);
  va_end(values);
  char *line = format_text("cd '%s' && '%s' %s >.out 2>.err", command_folder, MSD_COMMAND, arguments);
  int status = system(line);
  return (command_result){exit_status(status), read_text(".out"), read_text(".err")};
}

static inline int count_lines(const char *text) {
  int lines = 0;
  for (; *text != '\0'; text++)
    lines += *text == '\n';
  return lines;
}

/* One line on stderr, nothing on stdout, and this exit status. */
static inline void expect_refused(command_result result, int status, const char *mentions) {
  cr_expect_eq(result.status, status, "exit status %d, not %d: %s", result.status, status, result.err);
  cr_expect_eq(count_lines(result.err), 1, "not one line: %s", result.err);
  cr_expect_str_empty(result.out);
  cr_expect_not_null(strstr(result.err, mentions), "no '%s' in: %s", mentions, result.err);
}

/* The JSON object that a successful run prints. */
static inline json_t *parse_json(const char *text) {
  json_error_t error;
  json_t *object = json_loads(text, 0, &error);
  cr_assert_not_null(object, "%s: %s", error.text, text);
  cr_assert_lt(kept.json_count, KEPT_MAX);
  kept.json[kept.json_count++] = object;
  return object;
}

static inline double number_of(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  cr_assert(json_is_number(value), "%s is not a number", key);
  return json_number_value(value);
}

static inline const char *text_of(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  cr_assert(json_is_string(value), "%s is not a text", key);
  return json_string_value(value);
}

/* The hash that a summary of `msd ... --json` reports. */
static inline const char *hash_of(command_result result) {
  return text_of(parse_json(result.out), "hash");
}

typedef struct trace_row {
  double time;
  long particle;
  double x[3], v[3];
} trace_row;

/* All rows of a trace file. */
static inline trace_row *read_trace(const char *name, int *count) {
  char *text = read_text(name);
  const char header[] = "time,particle,x,y,z,vx,vy,vz\n";
  cr_assert_eq(strncmp(text, header, strlen(header)), 0, "header of %s", name);
  int capacity = count_lines(text);
  trace_row *rows = take_memory((size_t)capacity * sizeof *rows);
  *count = 0;
  for (char *line = text + strlen(header); *line != '\0'; line = strchr(line, '\n') + 1) {
    trace_row *row = &rows[(*count)++];
    int fields = sscanf(line, "%lf,%ld,%lf,%lf,%lf,%lf,%lf,%lf", &row->time, &row->particle, &row->x[0],
                        &row->x[1], &row->x[2], &row->v[0], &row->v[1], &row->v[2]);
    cr_assert_eq(fields, 8, "row %d of %s", *count, name);
    cr_assert_not_null(strchr(line, '\n'), "the last row of %s is cut", name);
  }
  return rows;
}

#endif
