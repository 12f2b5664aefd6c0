#include "app/export/export.h"

#include "app/base/output_file.h"
#include "app/base/scene_input.h"
#include "app/export/formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const export_format_names[EXPORT_FORMAT_COUNT + 1] = {"obj", "ply", "vtk", "vtu", "pc2"};

typedef struct format {
  /* A frame; of the mesh that a point cache moves the first one. */
  void (*write)(FILE *stream, const export_frame *frame);
  /* Of the file that lists the others; NULL: there is none. */
  const char *list_ending;
  void (*write_list)(FILE *stream, const export_listing *list, int64_t count);
} format;

static const format formats[EXPORT_FORMAT_COUNT] = {
    [EXPORT_OBJ] = {export_obj, NULL, NULL},
    [EXPORT_PLY] = {export_ply, NULL, NULL},
    [EXPORT_VTK] = {export_vtk, "vtk.series", export_vtk_series},
    [EXPORT_VTU] = {export_vtu, "pvd", export_pvd},
    [EXPORT_PC2] = {export_obj, NULL, NULL},
};

struct exporter {
  export_request request;
  char *folder;
  const scene *scene;
  export_shape shape;
  export_attributes attributes;
  shown_points points;
  /* Index of the frame to come. */
  int64_t next;
  /* Of EXPORT_PC2. */
  point_cache *cache;
};

static const char *base_name(const exporter *e) {
  return e->scene->name;
}

static const char *ending_of(const exporter *e) {
  return export_format_names[e->request.format];
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
  shown_points_close(&e->points);
  export_attributes_free(&e->attributes);
  free(e->folder);
  free(e);
}

/* The first file that will be written; that it can be tells most troubles before anything is simulated. */
static bool check_first(const exporter *e, problem *p) {
  const bool is_cached = e->request.format == EXPORT_PC2;
  char *path = is_cached ? single_path(e, "pc2") : frame_path(e, e->request.first_index, ending_of(e));
  char *mesh = is_cached ? single_path(e, "obj") : NULL;
  bool ok = (path != NULL && (mesh != NULL || !is_cached)) || out_of_memory(p);
  ok = ok && scene_input_spare(e->scene, path, p) && output_file_check(path, p) &&
       (!is_cached || scene_input_spare(e->scene, mesh, p));
  free(path);
  free(mesh);
  return ok;
}

static bool open_cache(exporter *e, problem *p) {
  char *path = single_path(e, "pc2");
  if (path == NULL)
    return out_of_memory(p);
  e->cache = point_cache_open(path, e->shape.numbering.count, e->request.first_index, p);
  free(path);
  return e->cache != NULL;
}

exporter *export_open(const export_request *request, const scene *s, problem *p) {
  if (!output_folder_prepare(request->folder, p))
    return NULL;
  exporter *e = calloc(1, sizeof *e);
  if (e == NULL) {
    out_of_memory(p);
    return NULL;
  }
  *e = (exporter){
      .request = *request, .scene = s, .next = request->first_index, .folder = strdup(request->folder)};
  /* The mesh of a point cache keeps its normals while its points move: it is better without. */
  const bool with_normals = request->format != EXPORT_PC2;
  const bool made = (e->folder != NULL && export_shape_make(s, &e->shape) &&
                     export_attributes_make(s, &e->shape, with_normals, &e->attributes) &&
                     shown_points_open(&e->points, s)) ||
                    out_of_memory(p);
  /* Nor do its points become more: parts of what has been split come last, and stay out of it. */
  if (!with_normals)
    e->shape.numbering.count -= e->shape.split;
  if (made && check_first(e, p) && (request->format != EXPORT_PC2 || open_cache(e, p)))
    return e;
  export_discard(e);
  return NULL;
}

static bool write_file(const exporter *e, const char *path, const export_frame *frame, problem *p) {
  output_file file;
  if (path == NULL)
    return out_of_memory(p);
  if (!scene_input_spare(e->scene, path, p) || !output_file_open(&file, path, p))
    return false;
  formats[e->request.format].write(file.stream, frame);
  return output_file_commit(&file, false, p);
}

/* The mesh that a point cache moves: its points, not where they are, must fit, so that one is enough. */
static bool needs_mesh(const exporter *e, const char *path, int64_t index) {
  return index == 0 || (index == e->request.first_index && access(path, F_OK) != 0);
}

/* Splits make points, and what belongs to each follows. */
static bool follow(exporter *e) {
  const int32_t points = e->shape.numbering.count;
  if (!export_shape_follow(e->scene, &e->shape))
    return false;
  if (e->shape.numbering.count == points)
    return true;
  export_attributes_free(&e->attributes);
  return export_attributes_make(e->scene, &e->shape, true, &e->attributes);
}

bool export_write(exporter *e, int64_t index, double time, problem *p) {
  /* The mesh of a point cache is one for all frames. */
  const bool is_cached = e->request.format == EXPORT_PC2;
  if (!is_cached && !follow(e))
    return out_of_memory(p);
  shown_points_update(&e->points);
  const msd_view positions = export_view(&e->shape.numbering, e->points.positions);
  export_attributes_shade(&e->attributes, &e->shape, positions);
  const export_frame frame = {.shape = &e->shape,
                              .attributes = &e->attributes,
                              .positions = positions,
                              .velocities = export_view(&e->shape.numbering, e->points.velocities),
                              .time = time,
                              .edges = e->request.edges,
                              .seams = e->request.seams};
  e->next = index + 1;
  if (is_cached && !point_cache_write(e->cache, &frame, p))
    return false;
  char *path = is_cached ? single_path(e, "obj") : frame_path(e, index, ending_of(e));
  const bool ok =
      (is_cached && path != NULL && !needs_mesh(e, path, index)) || write_file(e, path, &frame, p);
  free(path);
  return ok;
}

bool export_flush(exporter *e, problem *p) {
  return e->cache == NULL || point_cache_flush(e->cache, p);
}

/* Those frames that are there: an earlier part of a resumed run has written some, or none. NULL without
   memory. */
static export_listing *list_frames(const exporter *e, int64_t *count) {
  export_listing *list = calloc((size_t)e->next + 1, sizeof *list);
  *count = 0;
  for (int64_t index = 0; list != NULL && index < e->next; index++) {
    char *path = frame_path(e, index, ending_of(e));
    if (path != NULL && access(path, F_OK) == 0)
      list[(*count)++] = (export_listing){path, (double)index * e->request.time_step};
    else
      free(path);
  }
  return list;
}

static bool write_list(const exporter *e, problem *p) {
  const format *f = &formats[e->request.format];
  int64_t count;
  export_listing *list = list_frames(e, &count);
  char *path = single_path(e, f->list_ending);
  output_file file;
  bool ok = (list != NULL && path != NULL) || out_of_memory(p);
  ok = ok && output_file_open(&file, path, p);
  if (ok) {
    f->write_list(file.stream, list, count);
    ok = output_file_commit(&file, false, p);
  }
  for (int64_t n = 0; n < count; n++)
    free(list[n].file);
  free(list);
  free(path);
  return ok;
}

bool export_close(exporter *e, problem *p) {
  if (e == NULL)
    return true;
  bool ok = formats[e->request.format].write_list == NULL || write_list(e, p);
  if (e->cache != NULL) {
    ok = point_cache_close(e->cache, p) && ok;
    e->cache = NULL;
  }
  export_discard(e);
  return ok;
}
