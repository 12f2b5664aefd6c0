/* Records: the state of a particle in one place, for access in random order. A record lies in one cache line,
   where six components would lie in six. It has two quads, x y z - of the position and x y z - of the
   velocity. */
#ifndef MSD_ENGINE_BASE_RECORD_H
#define MSD_ENGINE_BASE_RECORD_H

enum { RECORD_QUAD = 4, RECORD_SIZE = 2 * RECORD_QUAD };

#endif
