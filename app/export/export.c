#include "app/export/export.h"

#include "app/base/output_file.h"
#include "app/base/scene_input.h"
#include "app/export/formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const export_format_names[EXPORT_FORMAT_COUNT + 1] = {"obj", "ply",  "vtk", "vtu",
                                                                  "pc2", "usda", "glb", "lammps"};

/* A file for all frames, which lists the others. */
typedef struct format_list {
  const char *ending;
  void (*write)(FILE *stream, const export_series *series);
} format_list;

enum { LISTS_MAX = 2 };

/* What there is of a format; the others are NULL. */
typedef struct format {
  /* Of each frame a file. */
  void (*write)(FILE *stream, const export_frame *frame);
  format_list lists[LISTS_MAX];
  /* The points of all frames are in SCENE.pc2: the mesh that they move is this, written once. */
  void (*write_mesh)(FILE *stream, const export_frame *frame);
  /* Likewise: what is made of SCENE.pc2 at the end. */
  bool (*write_animation)(FILE *stream, const export_animation *animation, problem *p);
  /* Only the state of the first frame, for programs that simulate by themselves. */
  bool is_state;
  /* Of formats that a scene in parts has not, as export_why_whole says it. */
  const char *why_whole;
} format;

static const format formats[EXPORT_FORMAT_COUNT] = {
    [EXPORT_OBJ] = {.write = export_obj},
    [EXPORT_PLY] = {.write = export_ply},
    [EXPORT_VTK] = {.write = export_vtk, .lists = {{"vtk.series", export_vtk_series}}},
    [EXPORT_VTU] = {.write = export_vtu, .lists = {{"pvd", export_pvd}, {"paraview.py", export_paraview}}},
    [EXPORT_PC2] = {.write_mesh = export_obj},
    [EXPORT_USDA] = {.write_animation = export_usda,
                     .why_whole = "joins the lines of a body to curves, which takes all of them"},
    [EXPORT_GLB] = {.write_animation = export_glb,
                    .why_whole = "has each frame as moves from the first, which takes all points of both"},
    [EXPORT_LAMMPS] = {.is_state = true, .why_whole = "lists the kinds of all springs before the springs"},
};

struct exporter {
  export_request request;
  char *folder;
  const scene *scene;
  export_shape shape;
  export_attributes attributes;
  render_points points;
  /* Index of the frame to come. */
  int64_t next;
  /* Where the points of all frames are kept. */
  point_cache *cache;
};

static const char *base_name(const exporter *e) {
  return e->scene->name;
}

static const format *format_of(const exporter *e) {
  return &formats[e->request.format];
}

static bool is_cached(const exporter *e) {
  return format_of(e)->write_mesh != NULL || format_of(e)->write_animation != NULL;
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
  render_points_close(&e->points);
  export_attributes_free(&e->attributes);
  free(e->folder);
  free(e);
}

/* Whether FOLDER/SCENE.ending is no file that the scene was read from. */
static bool spare_single(const exporter *e, const char *ending, problem *p) {
  char *path = single_path(e, ending);
  const bool ok = path != NULL ? scene_input_spare(e->scene, path, p) : out_of_memory(p);
  free(path);
  return ok;
}

/* The first file that will be written; that it can be tells most troubles before anything is simulated. */
static bool check_first(const exporter *e, problem *p) {
  const format *f = format_of(e);
  char *path = is_cached(e)  ? single_path(e, "pc2")
               : f->is_state ? single_path(e, "data")
                             : frame_path(e, e->request.first_index, ending_of(e));
  const bool ok = (path != NULL || out_of_memory(p)) && scene_input_spare(e->scene, path, p) &&
                  output_file_check(path, p) && (f->write_mesh == NULL || spare_single(e, "obj", p)) &&
                  (f->write_animation == NULL || spare_single(e, ending_of(e), p)) &&
                  (!f->is_state || (spare_single(e, "in", p) && export_lammps_check(e->scene, p)));
  free(path);
  return ok;
}

const char *export_why_whole(export_format which) {
  return formats[which].why_whole;
}

static bool open_cache(exporter *e, problem *p) {
  char *path = single_path(e, "pc2");
  if (path == NULL)
    return out_of_memory(p);
  e->cache = point_cache_open(path, e->shape.numbering.count, e->request.first_index, p);
  free(path);
  return e->cache != NULL;
}

/* The mesh of a point cache keeps its normals while its points move: it is better without. */
static bool open_shape(exporter *e, bool cached) {
  if (e->request.rows != NULL)
    return gathered_rows_shape(e->request.rows, &e->shape);
  return export_shape_make(e->scene, cached, &e->shape) &&
         export_attributes_make(e->scene, &e->shape, !cached, &e->attributes) &&
         render_points_open(&e->points, e->scene);
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
  const bool cached = is_cached(e);
  const bool made = (e->folder != NULL && open_shape(e, cached)) || out_of_memory(p);
  /* Nor do its points become more: parts of what has been split come last, and stay out of it. */
  if (cached)
    e->shape.numbering.count -= e->shape.split;
  if (made && check_first(e, p) && (!cached || open_cache(e, p)))
    return e;
  export_discard(e);
  return NULL;
}

/* Begins FOLDER/SCENE.ending, or what `path` is; it is freed. */
static bool begin_file(const exporter *e, char *path, output_file *file, problem *p) {
  const bool ok = path == NULL ? out_of_memory(p)
                               : scene_input_spare(e->scene, path, p) && output_file_open(file, path, p);
  free(path);
  return ok;
}

/* A file that lacks rows, which could not be had, is none. */
static bool end_file(const exporter *e, output_file *file, problem *p) {
  if (e->request.rows == NULL || gathered_rows_check(e->request.rows, p))
    return output_file_commit(file, false, p);
  output_file_discard(file);
  return false;
}

static bool write_frame(const exporter *e, int64_t index, const export_frame *frame, problem *p) {
  output_file file;
  if (!begin_file(e, frame_path(e, index, ending_of(e)), &file, p))
    return false;
  format_of(e)->write(file.stream, frame);
  return end_file(e, &file, p);
}

/* What is written once: with the first frame of all, or where an earlier part has not left it. */
static bool is_due_once(const exporter *e, const char *ending, int64_t index) {
  char *path = single_path(e, ending);
  const bool due = path == NULL || index == 0 || (index == e->request.first_index && access(path, F_OK) != 0);
  free(path);
  return due;
}

static bool write_cached(const exporter *e, int64_t index, const export_frame *frame, problem *p) {
  const format *f = format_of(e);
  output_file file;
  if (f->write_animation == export_glb &&
      !export_glb_has_room(index - e->request.first_index + 1, e->shape.numbering.count, p))
    return false;
  if (!point_cache_write(e->cache, frame, p))
    return false;
  if (f->write_mesh == NULL || !is_due_once(e, "obj", index))
    return true;
  if (!begin_file(e, single_path(e, "obj"), &file, p))
    return false;
  f->write_mesh(file.stream, frame);
  return end_file(e, &file, p);
}

/* With --duration 0 the frames that the scene asks for. */
static export_script script_of(const exporter *e) {
  const export_request *r = &e->request;
  const int64_t every = r->every > 0 ? r->every : 1;
  int32_t substeps = r->substeps;
  if (substeps == 0)
    msd_world_find_substeps(e->scene->world, (msd_real)(r->frame_time / (double)every), &substeps);
  const int64_t steps = every * (substeps > 0 ? substeps : 1);
  const int64_t frames = r->frames > 0 ? r->frames : (int64_t)(e->scene->duration / r->frame_time + 0.5);
  return (export_script){
      .scene = e->scene, .frames = frames, .steps = steps, .step = r->frame_time / (double)steps};
}

static bool write_state(const exporter *e, int64_t index, problem *p) {
  output_file file;
  if (!is_due_once(e, "data", index))
    return true;
  const export_script script = script_of(e);
  if (!begin_file(e, single_path(e, "data"), &file, p))
    return false;
  export_lammps_data(file.stream, e->scene);
  if (!output_file_commit(&file, false, p) || !begin_file(e, single_path(e, "in"), &file, p))
    return false;
  export_lammps_script(file.stream, &script);
  return output_file_commit(&file, false, p);
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

static bool write_from(exporter *e, const export_source *source, int64_t index, double time, problem *p) {
  const export_frame frame = {.shape = &e->shape,
                              .source = source,
                              .points = e->shape.numbering.count,
                              .attributes = &e->attributes,
                              .time = time,
                              .edges = e->request.edges,
                              .seams = e->request.seams,
                              .threads = msd_world_get_thread_count(e->scene->world)};
  return is_cached(e) ? write_cached(e, index, &frame, p) : write_frame(e, index, &frame, p);
}

static bool write_whole(exporter *e, int64_t index, double time, problem *p) {
  /* The mesh of a point cache is one for all frames. */
  if (!is_cached(e) && !follow(e))
    return out_of_memory(p);
  render_points_update(&e->points);
  export_whole whole = {&e->shape, export_view(&e->shape.numbering, e->points.positions),
                        export_view(&e->shape.numbering, e->points.velocities)};
  export_attributes_shade(&e->attributes, &e->shape, whole.positions);
  const export_source source = export_source_of(&whole);
  return write_from(e, &source, index, time, p);
}

/* The others wait for the end, whatever becomes of the file. */
static bool write_parts(exporter *e, int64_t index, double time, problem *p) {
  problem later;
  const export_source source = gathered_rows_source(e->request.rows);
  const bool ok = write_from(e, &source, index, time, p);
  return gathered_rows_end(e->request.rows, ok ? p : &later) && ok;
}

bool export_write(exporter *e, int64_t index, double time, problem *p) {
  e->next = index + 1;
  if (format_of(e)->is_state)
    return write_state(e, index, p);
  return e->request.rows != NULL ? write_parts(e, index, time, p) : write_whole(e, index, time, p);
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
      list[(*count)++] = (export_listing){path, (double)index * e->request.frame_time};
    else
      free(path);
  }
  return list;
}

static bool write_lists(const exporter *e, problem *p) {
  const format *f = format_of(e);
  int64_t count;
  export_listing *list = list_frames(e, &count);
  const export_series series = {list, count, base_name(e)};
  bool ok = list != NULL || out_of_memory(p);
  for (int n = 0; ok && n < LISTS_MAX && f->lists[n].write != NULL; n++) {
    output_file file;
    ok = begin_file(e, single_path(e, f->lists[n].ending), &file, p);
    if (ok) {
      f->lists[n].write(file.stream, &series);
      ok = output_file_commit(&file, false, p);
    }
  }
  for (int64_t n = 0; n < count; n++)
    free(list[n].file);
  free(list);
  return ok;
}

/* Of the whole run, from the cache, which is complete by now. */
static bool write_animation(const exporter *e, problem *p) {
  point_samples samples;
  output_file file;
  char *cache = single_path(e, "pc2");
  bool ok = cache != NULL ? point_samples_open(&samples, cache, p) : out_of_memory(p);
  free(cache);
  if (!ok)
    return false;
  ok = samples.count == 0 || begin_file(e, single_path(e, ending_of(e)), &file, p);
  if (ok && samples.count > 0) {
    const export_animation animation = {&e->shape, &e->attributes, &samples, e->request.frame_time,
                                        msd_world_get_thread_count(e->scene->world)};
    ok = format_of(e)->write_animation(file.stream, &animation, p);
    if (ok && ferror(samples.stream))
      ok = problem_set(p, "%s: cannot be read again", file.path);
    if (ok)
      ok = output_file_commit(&file, false, p);
    else
      output_file_discard(&file);
  }
  point_samples_close(&samples);
  return ok;
}

bool export_close(exporter *e, problem *p) {
  if (e == NULL)
    return true;
  bool ok = format_of(e)->lists[0].write == NULL || write_lists(e, p);
  if (e->cache != NULL) {
    ok = point_cache_close(e->cache, p) && ok;
    e->cache = NULL;
    if (ok && format_of(e)->write_animation != NULL)
      ok = write_animation(e, p);
  }
  export_discard(e);
  return ok;
}
