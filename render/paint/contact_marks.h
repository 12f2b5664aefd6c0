/* The marks of contacts: where something touches a collider or a surface another one, a dot, and a line along
   the normal that is longer the harder they push. */
#ifndef MSD_RENDER_PAINT_CONTACT_MARKS_H
#define MSD_RENDER_PAINT_CONTACT_MARKS_H

#include <msd/msd.h>

/* The share of a scene that a line is long for the mean force of all contacts, and the bounds of lines in such
   lengths: weak contacts are seen, and a hit does not cross the picture. */
#define CONTACT_LENGTH   0.02f
#define CONTACT_SHORTEST 0.5f
#define CONTACT_LONGEST  4.0f

typedef struct contact_mark {
  /* m: the ends of the line. */
  float from[3], to[3];
  /* How far along the line the dot is: 0 on a collider, which pushes one way, and 0.5 between two surfaces. */
  float dot;
} contact_mark;

typedef struct contact_marks {
  contact_mark *all;
  int32_t count;

  /* How many fit into the allocated memory. */
  int32_t capacity;
} contact_marks;

/* Finds the marks of the contacts of the last substep, in a scene of `size` m: those with colliders, then those
   between surfaces. None when memory is short. */
void contact_marks_find(contact_marks *m, const msd_world *world, float size);

void contact_marks_free(contact_marks *m);

#endif
