/* Surfaces where springs have torn: a triangle or segment with a torn edge is no part of them any more. */
#ifndef MSD_ENGINE_STORE_TEARS_H
#define MSD_ENGINE_STORE_TEARS_H

#include "engine/store/spring.h"
#include "engine/store/surface.h"

/* What of some surfaces has not torn, with the same numbers of surfaces. It shares the rest with them, and all
   where nothing has torn. False when there is no memory. */
bool tears_leave(surface_store *left, memory *m, const surface_store *all, const spring_store *springs);
void tears_free(surface_store *left, memory *m, const surface_store *all);

#endif
