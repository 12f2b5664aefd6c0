/* The rows of a scene of which each process has a part, on the first process some at a time. Points and the
   faces of meshes come from whoever has them, as often as a writer asks; what else there is of a shape follows
   from its bodies. All processes open them together; then, for each frame, the first one writes from the source
   and ends, while the others give. */
#ifndef MSD_APP_EXPORT_GATHERED_ROWS_H
#define MSD_APP_EXPORT_GATHERED_ROWS_H

#include "app/base/message.h"
#include "app/export/row_source.h"

typedef struct gathered_rows gathered_rows;

/* Of a scene of ropes, cloths, blocks and meshes that was loaded with its faces. NULL with *p filled, on all
   processes, when memory is short, when there are other bodies, or more triangles than can be counted, or when
   a mesh has texture coordinates or normals, or faces that repeat others or name a vertex twice. */
gathered_rows *gathered_rows_open(const scene *s, problem *p);

/* NULL is allowed. */
void gathered_rows_close(gathered_rows *rows);

/* The counts, groups and names of the whole. False when memory is short; *shape is empty then. */
bool gathered_rows_shape(const gathered_rows *rows, export_shape *shape);

/* On the first process alone. */
export_source gathered_rows_source(gathered_rows *rows);

/* On the first process alone: false with *p filled when rows that the source was asked for could not be had. */
bool gathered_rows_check(const gathered_rows *rows, problem *p);

/* Behind the last that is asked of the source, whatever has become of it. False with *p filled when rows could
   not be had. */
bool gathered_rows_end(gathered_rows *rows, problem *p);

/* On the other processes, until the first one ends: gives what is asked for. False with *p filled when it could
   not. */
bool gathered_rows_give(gathered_rows *rows, problem *p);

#endif
