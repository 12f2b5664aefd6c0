/* Connected pieces, and which of them are held. */
#ifndef MSD_ENGINE_STORE_PIECES_H
#define MSD_ENGINE_STORE_PIECES_H

#include "engine/store/model.h"

/* For msd_world_find_pieces; the arrays may be NULL. False when there is no memory in `m`. */
bool pieces_find(const world_model *model, memory *m, int32_t *piece_of, bool *is_held, msd_pieces *counts);

#endif
