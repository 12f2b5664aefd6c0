/* A checkpoint of parts that one process cannot read ends all of them, with what that one has to say. In the
   place of processes stand threads, each with a part of the scene, which meet in a room. */
#define MSD_COMMAND_RANKS
#include "app/base/mpi_shim.c"

#include "app/run/checkpoint.h"
#include "tests/support/rank_room.h"
#include "tests/support/scene_text.h"

#include <sys/stat.h>

TestSuite(checkpoint_parts, .init = enter_scratch_folder, .fini = leave_scratch_folder, .timeout = 120);

enum { RANKS = 3, FINGERPRINT = 77 };

static _Thread_local room_seat *here;

bool ranks_are_started(void) {
  return true;
}

void ranks_begin(void) {
}

void ranks_end(void) {
}

int ranks_rank(void) {
  return here->rank;
}

int ranks_count(void) {
  return RANKS;
}

void ranks_largest(double *values, int count) {
  room_largest(values, count, here);
}

msd_ranks ranks_of_world(int depth, bool in_parts) {
  (void)in_parts;
  return room_ranks(here, depth);
}

static const char sheet[] =
    "{ \"msd\": 1, \"substeps\": 4, \"bodies\": [ { \"type\": \"cloth\", \"columns\": 30, \"rows\": 40 } ] }";

static scene *load_part(const msd_ranks *ranks) {
  scene_error error;
  scene *s = scene_load_part("sheet.json", ranks, false, &error);
  cr_assert(s != NULL, "%s", error.text);
  return s;
}

static const checkpoint begun = {.frame = 3, .duration = 1, .frame_time = 0.25, .substeps = 4};

static void *save_part(void *context) {
  here = context;
  const msd_ranks ranks = room_ranks(here, 1);
  scene *s = load_part(&ranks);
  problem p;
  checkpoint c = begun;
  cr_assert(checkpoint_save("good.save", s, FINGERPRINT, &c, &p), "%s", p.text);
  c.frame = 4;
  cr_assert(checkpoint_save("other.save", s, FINGERPRINT, &c, &p), "%s", p.text);
  scene_free(s);
  return NULL;
}

static void save_all(void) {
  rank_room room;
  write_text("sheet.json", sheet);
  processes.are_several = true;
  room_begin_with(&room, RANKS, 0);
  room_run(&room, save_part);
}

/* What one rank is given in the place of good.save, what all say then, and who that one is. */
static const char *given, *told;
static int odd_rank;

static void *resume_part(void *context) {
  here = context;
  const msd_ranks ranks = room_ranks(here, 1);
  scene *s = load_part(&ranks);
  const uint64_t before = msd_world_hash(s->world);
  checkpoint c;
  problem p = {.text = ""};
  const bool is_odd = given != NULL && here->rank == odd_rank;
  const bool done = checkpoint_load(is_odd ? given : "good.save", s, FINGERPRINT, &c, &p);
  cr_assert_eq(done, given == NULL, "rank %d, %s to rank %d: %s", here->rank, given, odd_rank, p.text);
  if (given == NULL)
    cr_assert_eq(c.frame, begun.frame);
  else
    cr_assert(strstr(p.text, told) != NULL, "rank %d, %s to rank %d: %s", here->rank, given, odd_rank,
              p.text);
  cr_assert_eq(msd_world_hash(s->world), before);
  scene_free(s);
  return NULL;
}

static void resume_all(void) {
  rank_room room;
  room_begin_with(&room, RANKS, 0);
  room_run(&room, resume_part);
}

static void expect_all_told(const char *file, const char *words) {
  given = file;
  told = words;
  for (odd_rank = 0; odd_rank < RANKS; odd_rank++)
    resume_all();
}

static void copy_changed(const char *name, long length, long changed) {
  FILE *from = fopen("good.save", "rb"), *to = fopen(name, "wb");
  cr_assert(from != NULL && to != NULL);
  for (long at = 0; at < length; at++) {
    const int byte = fgetc(from);
    cr_assert(byte != EOF);
    fputc(at == changed ? byte ^ 1 : byte, to);
  }
  fclose(from);
  fclose(to);
}

static long length_of(const char *name) {
  struct stat status;
  cr_assert_eq(stat(name, &status), 0);
  return (long)status.st_size;
}

Test(checkpoint_parts, all_go_on_where_all_can_read) {
  save_all();
  given = NULL;
  resume_all();
}

Test(checkpoint_parts, what_one_cannot_open_ends_all) {
  save_all();
  mkdir("folder.save", 0777);
  expect_all_told("nothing.save", "nothing.save: No such file");
  expect_all_told("folder.save", "folder.save: is no file");
}

Test(checkpoint_parts, what_is_cut_or_no_checkpoint_for_one_ends_all) {
  save_all();
  write_text("text.save", "no checkpoint at all");
  write_text("empty.save", "");
  copy_changed("cut.save", length_of("good.save") - 1000, -1);
  copy_changed("short.save", 30, -1);
  expect_all_told("text.save", "text.save: is not a checkpoint");
  expect_all_told("empty.save", "empty.save: is not a checkpoint");
  expect_all_told("cut.save", "cut.save: the checkpoint is cut or corrupted");
  expect_all_told("short.save", "short.save: the checkpoint is cut or corrupted");
}

/* Of another frame, which each by itself could go on from. */
Test(checkpoint_parts, another_checkpoint_for_one_ends_all) {
  save_all();
  expect_all_told("other.save", "is another file to one process");
}

/* The first one reads all bytes, for their checksum, and what it says is said by all. */
Test(checkpoint_parts, a_byte_that_changed_is_seen_by_the_first) {
  save_all();
  copy_changed("odd.save", length_of("good.save"), 5000);
  given = "odd.save";
  told = "odd.save: the checkpoint is cut or corrupted";
  odd_rank = 0;
  resume_all();
}
