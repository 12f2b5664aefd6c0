/* The memory that a scene takes once it is stepped, beside what the layout aims at. */
#ifndef MSD_APP_REPORT_MEMORY_REPORT_H
#define MSD_APP_REPORT_MEMORY_REPORT_H

#include "app/base/message.h"
#include "scenes/loader/scene.h"

#include <jansson.h>
#include <stdio.h>

typedef struct memory_report {
  int32_t particles, springs;
  /* Bytes of the world as it came from its file. */
  size_t loaded;
  /* After its first step, when springs have been laid out for stepping. */
  msd_stats stepped;
  /* MEMORY_PARTICLE and MEMORY_SPRING bytes for each of them. */
  double aim;
} memory_report;

/* In float; double takes twice as much. Constraints and rotors, and what every world takes, however small,
   come on top. */
enum { MEMORY_PARTICLE = 40 * sizeof(msd_real), MEMORY_SPRING = 8 * sizeof(msd_real) };

/* Takes a step, and puts the world back into the state that it had. False when there is no memory for that. */
bool memory_report_make(scene *s, memory_report *out, problem *p);

void memory_report_print(const memory_report *r, FILE *stream);

/* Adds bytes, bytes_loaded, bytes_aim, bytes_per_particle and bytes_per_spring (null without any) to an object.
   Nonzero when there is no memory. */
int memory_report_json(const memory_report *r, json_t *object);

#endif
