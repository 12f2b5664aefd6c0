/* Mending of a list (pair_search.h) in which a few particles have other X, V and R than it was made with.

   The pairs that have one of them are found anew, and stand behind all others; those that were listed stay, as
   pairs of no thickness that are always far apart.

   What is done is in proportion to those few. Sought are they and the
   edges and triangles that have one; the leaves that own some of these place them anew, and their own boxes
   and those above them in the tree. Such a leaf then looks for others from the top of the tree down, and of
   these takes those that the box around what is sought of it reaches, or whose own such box reaches it.

   Nothing is missed. Take a pair that is not listed and could come close. Where it has no marked corner its
   records, skins and thickness are those of the last search, which has left it out by proof, so it cannot.
   Where it has one, a side of it is sought, and both its sides have boxes of the records and skins of now:
   what is not sought has no marked corner, and was placed with those before, or is when it is met for the
   first time. The box around a leaf and those above it have all that it owns as it is now, since whoever
   owns something that is sought is placed anew. So the tree leads from one of the two leaves to the other;
   the box around what is sought of the one has the side that is sought, that of the other leaf the other
   side, and since these touch the leaves are held against each other; and the narrow phase leaves out by
   proof what it does not list. */
#ifndef MSD_ENGINE_CONTACT_PAIR_MENDING_H
#define MSD_ENGINE_CONTACT_PAIR_MENDING_H

#include "engine/contact/listed_at.h"

/* Finds anew the pairs of particles that have the mark, by slot; the question is that of the last build but for
   what these particles have. Only in those blocks of the list are pairs of theirs; NULL: in any. False, and
   the next must be a build, without memory, on this rank or another, or where the pairs would be more than
   2^31-1. */
bool pair_search_mend(pair_search *search, memory *m, const surface_mesh *mesh, const pair_question *question,
                      const listed_at *blocks, const uint8_t *marked, uint8_t mark);

#endif
