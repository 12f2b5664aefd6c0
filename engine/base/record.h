/* Numbers that are read together in one place of memory, for single particles that are wanted in no order: a
   record lies in one line of the cache, where six components would lie in six. It has two quads, x y z - of a
   position and x y z - of a velocity. */
#ifndef MSD_ENGINE_BASE_RECORD_H
#define MSD_ENGINE_BASE_RECORD_H

enum { RECORD_QUAD = 4, RECORD_SIZE = 2 * RECORD_QUAD };

#endif
