/* What the fuzz targets share: a folder to work in, the input as numbers, and what must hold of every world.

   Each target is a program of libFuzzer's: it is handed bytes, and whatever the sanitizers report, a failed
   expectation, a hang or too much memory is a find. ./dev fuzz builds and runs them. */
#ifndef MSD_TESTS_FUZZ_FUZZ_H
#define MSD_TESTS_FUZZ_FUZZ_H

#include <msd/msd.h>

#include <stdio.h>
#include <stdlib.h>

/* A target. Always returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Ends the run with a find. */
#define EXPECT(condition)                                                                                    \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                          \
      abort();                                                                                               \
    }                                                                                                        \
  } while (0)

/* Goes to an empty folder of this process's own, once. */
void fuzz_enter_folder(void);

void fuzz_write_file(const char *name, const uint8_t *bytes, size_t size);

/* The input from front to back; zeros behind its end. */
typedef struct fuzz_input {
  const uint8_t *bytes;
  size_t size, at;
} fuzz_input;

uint8_t fuzz_byte(fuzz_input *in);
uint32_t fuzz_word(fuzz_input *in);

/* 0..count-1, or now and then an index that does not exist. */
int32_t fuzz_index(fuzz_input *in, int32_t count);

/* Mostly small and plain, now and then one of those that break things: NaN, infinities, denormals, limits. */
double fuzz_number(fuzz_input *in);
msd_vec3 fuzz_vector(fuzz_input *in);

/* Every position, velocity and figure of the world is a finite number. */
void fuzz_expect_finite(const msd_world *world);

/* A world with a memory limit that no input is allowed to pass. */
msd_world *fuzz_world(void);

/* Saves the world and restores the bytes into another one: both have the same state, and take the same next
   step. */
void fuzz_expect_round_trip(msd_world *world, msd_real frame_time, int substeps);

/* Asks the world everything that it can be asked, with numbers and indices of the input: the answers are in
   the ranges that the headers promise, and the state is as before. */
void fuzz_expect_answers(const msd_world *world, fuzz_input *in);

/* One of the calls that programs make in their frames: many particles at once, states, sleep, wear, functions
   that a step calls. What is promised of each is expected. */
void fuzz_call_of_frame(msd_world *world, fuzz_input *in);

/* Adds a sheet or a collider of plain numbers, moves pins and colliders on paths, or takes frames: all
   features of bodies that touch, tear and turn, together. */
void fuzz_call_of_feature(msd_world *world, fuzz_input *in);

/* The exact test finds no intersection of collision meshes that the world does not report. For a world
   whose last frame was complete. */
void fuzz_expect_reported(const msd_world *world);

#endif
