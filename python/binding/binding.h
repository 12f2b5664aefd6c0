/* What the Python package adds to the engine in C: memory that arrays may look at after the world has let go of
   it, the message of the call that failed, and loops over what the engine tells one by one. */
#ifndef MSD_PYTHON_BINDING_BINDING_H
#define MSD_PYTHON_BINDING_BINDING_H

#include <msd/msd.h>

/* Where a world and its copies take their memory. What a world releases while arrays look at any of it is kept
   until the last of them is gone: they may then show an old state, but never what is no memory any more. */
typedef struct msdpy_memory msdpy_memory;

/* Of one user, who leaves it in the end; NULL without memory. The last one to leave takes it down. */
msdpy_memory *msdpy_memory_open(void);
void msdpy_memory_join(msdpy_memory *memory);
void msdpy_memory_leave(msdpy_memory *memory);

/* An array that looks at it begins and ends; it counts as a user. */
void msdpy_view_begin(msdpy_memory *memory);
void msdpy_view_end(msdpy_memory *memory);

/* Fills in what a world of Python has besides: its allocator, and a log for msdpy_take_message. */
void msdpy_equip(msd_world_def *def, msdpy_memory *memory);

/* Destroys a world, and leaves its memory. */
void msdpy_close_world(msd_world *world, msdpy_memory *memory);

/* Copies what the last failing call of this thread said, and forgets it; "" when it said nothing. */
void msdpy_take_message(char *text, size_t size);

/* to[i] = tell(world, first + i). */
void msdpy_tell_reals(const msd_world *world, msd_real (*tell)(const msd_world *world, int32_t item),
                      int32_t first, int32_t count, msd_real *to);
void msdpy_tell_doubles(const msd_world *world, double (*tell)(const msd_world *world, int32_t item),
                        int32_t first, int32_t count, double *to);
void msdpy_tell_bools(const msd_world *world, bool (*tell)(const msd_world *world, int32_t item),
                      int32_t first, int32_t count, bool *to);

/* to[i] = msd_item_is_destroyed(world, item, i). */
void msdpy_tell_destroyed(const msd_world *world, msd_item item, int32_t count, bool *to);

#endif
