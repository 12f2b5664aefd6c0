#include "app/export/export.h"

#include "app/base/output_file.h"
#include "app/export/formats.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const export_format_names[EXPORT_FORMAT_COUNT + 1] = {"obj", "ply", "vtk", "pc2"};

struct exporter {
  char *folder;
  export_format format;
  const scene *scene;
  export_shape shape;
  export_start start;
  /* Index of the frame to come. */
  int64_t next;
  /* Of EXPORT_PC2. */
  point_cache *cache;
};

static const char *base_name(const exporter *e) {
  return e->scene->name;
}

/* FOLDER/SCENE_000012.obj; the caller frees. NULL when memory is short. */
static char *frame_path(const exporter *e, int64_t index, const char *ending) {
  size_t size = strlen(e->folder) + strlen(base_name(e)) + 40;
  char *path = malloc(size);
  if (path != NULL)
    snprintf(path, size, "%s/%s_%06" PRId64 ".%s", e->folder, base_name(e), index, ending);
  return path;
}

/* FOLDER/SCENE.ending; the caller frees. NULL when memory is short. */
static char *single_path(const exporter *e, const char *ending) {
  size_t size = strlen(e->folder) + strlen(base_name(e)) + strlen(ending) + 3;
  char *path = malloc(size);
  if (path != NULL)
    snprintf(path, size, "%s/%s.%s", e->folder, base_name(e), ending);
  return path;
}

static bool out_of_memory(problem *p) {
  return problem_set(p, "out of memory for an export");
}

void export_discard(exporter *e) {
  if (e == NULL)
    return;
  point_cache_discard(e->cache);
  export_shape_free(&e->shape);
  free(e->folder);
  free(e);
}

/* The first file that will be written; that it can be tells most troubles before anything is simulated. */
static bool check_first(const exporter *e, problem *p) {
  char *path = e->format == EXPORT_PC2 ? single_path(e, "pc2")
                                       : frame_path(e, e->start.index, export_format_names[e->format]);
  if (path == NULL)
    return out_of_memory(p);
  bool ok = output_file_check(path, p);
  free(path);
  return ok;
}

static bool open_cache(exporter *e, problem *p) {
  char *path = single_path(e, "pc2");
  if (path == NULL)
    return out_of_memory(p);
  e->cache = point_cache_open(path, msd_world_get_particle_count(e->scene->world), e->start.index, p);
  free(path);
  return e->cache != NULL;
}

exporter *export_open(const char *folder, export_format format, const scene *s, export_start start,
                      problem *p) {
  if (!output_folder_prepare(folder, p))
    return NULL;
  exporter *e = calloc(1, sizeof *e);
  if (e == NULL) {
    out_of_memory(p);
    return NULL;
  }
  *e = (exporter){.format = format,
                  .scene = s,
                  .start = start,
                  .next = start.index,
                  .folder = malloc(strlen(folder) + 1)};
  bool ok = e->folder != NULL && export_shape_make(s, &e->shape);
  if (!ok)
    out_of_memory(p);
  else
    strcpy(e->folder, folder);
  ok = ok && check_first(e, p) && (format != EXPORT_PC2 || open_cache(e, p));
  if (!ok) {
    export_discard(e);
    return NULL;
  }
  return e;
}

static bool write_file(const char *path, const export_frame *frame, export_format format, problem *p) {
  if (path == NULL)
    return out_of_memory(p);
  output_file file;
  if (!output_file_open(&file, path, p))
    return false;
  switch (format) {
  case EXPORT_PLY:
    export_ply(file.stream, frame);
    break;
  case EXPORT_VTK:
    export_vtk(file.stream, frame);
    break;
  default: /* OBJ, and the mesh that a point cache moves */
    export_obj(file.stream, frame);
  }
  return output_file_commit(&file, false, p);
}

bool export_write(exporter *e, int64_t index, double time, problem *p) {
  export_frame frame = {.scene = e->scene,
                        .shape = &e->shape,
                        .positions = msd_world_get_positions(e->scene->world),
                        .velocities = msd_world_get_velocities(e->scene->world),
                        .time = time};
  e->next = index + 1;
  char *path = NULL;
  bool ok = true;
  if (e->format == EXPORT_PC2) {
    ok = point_cache_write(e->cache, &frame, p);
    /* The mesh that the cache moves: its points, not where they are, must fit, so one is enough. */
    path = single_path(e, "obj");
    if (path != NULL && index > 0 && (index > e->start.index || access(path, F_OK) == 0)) {
      free(path);
      return ok;
    }
  } else {
    path = frame_path(e, index, export_format_names[e->format]);
  }
  ok = ok && write_file(path, &frame, e->format, p);
  free(path);
  return ok;
}

bool export_flush(exporter *e, problem *p) {
  return e->cache == NULL || point_cache_flush(e->cache, p);
}

/* The legacy VTK format has no collection file of its own (.pvd collects the XML formats only); ParaView
   opens a JSON list of files and times with the ending .vtk.series as one animation. Frames that an earlier
   part of a resumed run wrote are listed when they are there. */
static json_t *series_of(const exporter *e) {
  json_t *files = json_array();
  for (int64_t index = 0; files != NULL && index < e->next; index++) {
    char *path = frame_path(e, index, "vtk");
    if (path != NULL && access(path, F_OK) == 0)
      json_array_append_new(files, json_pack("{s:s, s:f}", "name", strrchr(path, '/') + 1, "time",
                                             (double)index * e->start.time_step));
    free(path);
  }
  return json_pack("{s:s, s:o}", "file-series-version", "1.0", "files", files);
}

static bool write_series(const exporter *e, problem *p) {
  char *path = single_path(e, "vtk.series");
  json_t *series = series_of(e);
  output_file file;
  bool ok = path != NULL && series != NULL;
  if (!ok)
    out_of_memory(p);
  ok = ok && output_file_open(&file, path, p);
  if (ok) {
    json_dumpf(series, file.stream, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    fputc('\n', file.stream);
    ok = output_file_commit(&file, false, p);
  }
  json_decref(series);
  free(path);
  return ok;
}

bool export_close(exporter *e, problem *p) {
  if (e == NULL)
    return true;
  bool ok = e->format != EXPORT_VTK || write_series(e, p);
  if (e->cache != NULL) {
    ok = point_cache_close(e->cache, p) && ok;
    e->cache = NULL;
  }
  export_discard(e);
  return ok;
}
