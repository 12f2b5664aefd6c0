/* The shape of a scene over time, for other programs: a file per frame (OBJ, PLY, VTK, VTU), one file for the
   run (PC2, USDA, GLB), or what another program simulates by itself (LAMMPS). Points are the particles in the
   order of their indices. Surfaces are triangles; ropes, loose springs and connections are lines.
   docs/reference/formats.md describes what each format carries. */
#ifndef MSD_APP_EXPORT_EXPORT_H
#define MSD_APP_EXPORT_EXPORT_H

#include "app/base/message.h"
#include "app/export/gathered_rows.h"
#include "scenes/loader/scene.h"

typedef enum export_format {
  EXPORT_OBJ,
  EXPORT_PLY,
  EXPORT_VTK,
  EXPORT_VTU,
  EXPORT_PC2,
  EXPORT_USDA,
  EXPORT_GLB,
  EXPORT_LAMMPS,
  EXPORT_FORMAT_COUNT
} export_format;

/* The names of the formats, ended by NULL. */
extern const char *const export_format_names[EXPORT_FORMAT_COUNT + 1];

typedef struct exporter exporter;

typedef struct export_request {
  /* Made when only its last part is missing. */
  const char *folder;
  export_format format;
  /* PLY: lines as edges; texture coordinates of corners where meshes have seams. */
  bool edges, seams;
  /* Of the first frame to come: 0, or more when a run is resumed. */
  int64_t first_index;
  /* s between exported frames. */
  double frame_time;
  /* LAMMPS: how many of them the whole run has, how many frames of the run each is, and substeps of one of
     these; 0: as many as are certified. */
  int64_t frames, every;
  int substeps;
  /* Of the first of several processes of which each has a part of the scene, while the others give; NULL: the
     scene is whole. Not with export_why_whole. */
  gathered_rows *rows;
} export_request;

/* Why a format needs a scene that is whole, as is said behind its name; NULL: it does not. */
const char *export_why_whole(export_format which);

/* Prepares the files of `s`. When first_index > 0 the files of the frames before stay as they are, and are
   continued where the format is one file. NULL with *p filled when it cannot. */
exporter *export_open(const export_request *request, const scene *s, problem *p);

/* Writes the frame as the world now is. Frames come with consecutive indices. Where each process has a part of
   the world, the others call gathered_rows_give then. */
bool export_write(exporter *e, int64_t index, double time, problem *p);

/* Hands what is written to the system: it survives the end of this process. */
bool export_flush(exporter *e, problem *p);

/* Finishes the files and frees; NULL is allowed. */
bool export_close(exporter *e, problem *p);

/* Frees without finishing; NULL is allowed. */
void export_discard(exporter *e);

#endif
