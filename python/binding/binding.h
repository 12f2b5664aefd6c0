/* C code of the Python package: memory that arrays can view after their world was freed, the message of a
   failed call, and loops over functions that return one value per object. */
#ifndef MSD_PYTHON_BINDING_BINDING_H
#define MSD_PYTHON_BINDING_BINDING_H

#include <msd/msd.h>

/* Memory of a world and its copies. Blocks that the world frees while arrays view the memory are kept until the
   last view is gone. Such a view may show an old state, but never freed memory. */
typedef struct msdpy_memory msdpy_memory;

/* Creates a memory with one user; NULL if no memory is left. msdpy_memory_join adds a user, msdpy_memory_leave
   removes one, and the last one frees it. */
msdpy_memory *msdpy_memory_open(void);
void msdpy_memory_join(msdpy_memory *memory);
void msdpy_memory_leave(msdpy_memory *memory);

/* Begin and end a view of the memory by an array. A view is also a user. */
void msdpy_view_begin(msdpy_memory *memory);
void msdpy_view_end(msdpy_memory *memory);

/* Sets the allocator of a world of Python, and a log for msdpy_take_message. */
void msdpy_equip(msd_world_def *def, msdpy_memory *memory);

/* Destroys a world, and removes it as a user of its memory. */
void msdpy_close_world(msd_world *world, msdpy_memory *memory);

/* Copies the message of the last failed call of this thread, and clears it; "" if there is none. */
void msdpy_take_message(char *text, size_t size);

/* to[i] = read(world, first + i). */
void msdpy_read_reals(const msd_world *world, msd_real (*read)(const msd_world *world, int32_t item),
                      int32_t first, int32_t count, msd_real *to);
void msdpy_read_doubles(const msd_world *world, double (*read)(const msd_world *world, int32_t item),
                        int32_t first, int32_t count, double *to);
void msdpy_read_bools(const msd_world *world, bool (*read)(const msd_world *world, int32_t item),
                      int32_t first, int32_t count, bool *to);

/* Objects that a query tests: an element for each collider and each collision mesh. */
typedef struct msdpy_accepted {
  const bool *colliders, *collision_meshes;
} msdpy_accepted;

/* A msd_query_filter whose context is a msdpy_accepted. */
bool msdpy_accepts(void *context, msd_object type, int32_t index);

/* to[i] = msd_object_is_destroyed(world, item, i). */
void msdpy_read_destroyed(const msd_world *world, msd_object item, int32_t count, bool *to);

#endif
