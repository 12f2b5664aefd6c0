/* USDA, the text of USD: one file with a time sample for each frame. A body is a group (Xform) of a mesh, of
   curves for its lines, where springs that follow each other are one curve, and of loose points. */
#include "app/export/formats.h"

#include "app/base/numbers.h"
#include "app/base/parallel_text.h"
#include "app/base/write_buffer.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A prim whose points move: which they are, of those of the scene. */
typedef struct prim {
  const int32_t *points;
  int32_t count;
  /* All of them. */
  msd_range span;
} prim;

typedef struct writer {
  FILE *stream;
  const export_animation *animation;
  /* The sample at hand, of the span of a group. */
  float (*sample)[3];
  /* The points of a prim, in its order, and of its curves how many each has. */
  int32_t *points, *lengths;
} writer;

/* A name as prims have it: letters, digits and _; the number makes it the only one. */
static void put_name(FILE *stream, const char *name, int number) {
  fputc('"', stream);
  if (!isalpha((unsigned char)name[0]))
    fputc('_', stream);
  for (; *name != '\0'; name++)
    fputc((unsigned char)*name < 128 && isalnum((unsigned char)*name) ? *name : '_', stream);
  fprintf(stream, "_%d\"", number);
}

static void put_string(FILE *stream, const char *text) {
  fputc('"', stream);
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\')
      fputc('\\', stream);
    fputc(*text, stream);
  }
  fputc('"', stream);
}

enum { ITEM_MAX = 4 * NUMBER_MAX };

/* "(1, 2, 3)" */
static char *put_tuple(char *to, const double *numbers, int count) {
  for (int c = 0; c < count; c++)
    to = number_put_float(write_buffer_text(to, c > 0 ? ", " : "("), numbers[c]);
  return write_buffer_text(to, ")");
}

static char *put_point(char *to, const float x[3]) {
  return put_tuple(to, (const double[3]){(double)x[0], (double)x[1], (double)x[2]}, 3);
}

/* Items of a list, one behind the other; `put` writes one without what is between them. */
typedef struct item_list {
  char *(*put)(char *to, const void *items, int32_t number);
  const void *items;
} item_list;

static char *put_items(char *to, int32_t first, int32_t count, const void *context) {
  const item_list *list = context;
  for (int32_t i = first; i < first + count; i++)
    to = list->put(write_buffer_text(to, i > 0 ? ", " : ""), list->items, i);
  return to;
}

static void write_items(const writer *w, const item_list *list, int32_t count) {
  parallel_text_write(&(parallel_text){put_items, list, ITEM_MAX, parallel_text_to_stream, w->stream},
                      w->animation->threads, count);
}

static void load(writer *w, const prim *p, int64_t sample) {
  point_samples_load(w->animation->samples, sample, p->span, w->sample);
}

/* The points of a prim at the sample at hand. */
typedef struct prim_points {
  const writer *writer;
  const prim *prim;
} prim_points;

static const float *point_of(const writer *w, const prim *p, int32_t i) {
  return w->sample[p->points[i] - p->span.first];
}

static char *put_prim_point(char *to, const void *items, int32_t number) {
  const prim_points *of = items;
  return put_point(to, point_of(of->writer, of->prim, number));
}

static void put_points(writer *w, const prim *p) {
  point_samples *samples = w->animation->samples;
  const prim_points points = {w, p};
  fputs("            point3f[] points.timeSamples = {\n", w->stream);
  for (int64_t n = 0; n < samples->count; n++) {
    load(w, p, n);
    fprintf(w->stream, "                %" PRId64 ": [", samples->first + n);
    write_items(w, &(item_list){put_prim_point, &points}, p->count);
    fputs("],\n", w->stream);
  }
  fputs("            }\n", w->stream);
}

static void put_extent(writer *w, const prim *p) {
  point_samples *samples = w->animation->samples;
  fputs("            float3[] extent.timeSamples = {\n", w->stream);
  for (int64_t n = 0; n < samples->count; n++) {
    float least[3], most[3];
    load(w, p, n);
    for (int c = 0; c < 3; c++) {
      least[c] = most[c] = point_of(w, p, 0)[c];
      for (int32_t i = 1; i < p->count; i++) {
        const float x = point_of(w, p, i)[c];
        least[c] = x < least[c] ? x : least[c];
        most[c] = x > most[c] ? x : most[c];
      }
    }
    fprintf(w->stream, "                %" PRId64 ": [", samples->first + n);
    char text[2 * ITEM_MAX];
    const char *end = put_point(write_buffer_text(put_point(text, least), ", "), most);
    fwrite(text, 1, (size_t)(end - text), w->stream);
    fputs("],\n", w->stream);
  }
  fputs("            }\n", w->stream);
}

static void put_moving(writer *w, const prim *p) {
  put_extent(w, p);
  put_points(w, p);
}

/* ------------------------------------------------------------------------------------------------- meshes */

/* Corners of the triangles of a body, one triangle behind the other. */
typedef struct body_corners {
  const export_attributes *attributes;
  const int32_t (*triangles)[3], *numbers;
  int32_t first_point;
} body_corners;

/* Those without have 0. */
static char *put_corner_texture(char *to, const void *items, int32_t number) {
  const body_corners *of = items;
  const int32_t at = of->attributes->texture_of[of->numbers[number / 3]][number % 3];
  return put_tuple(to, at < 0 ? (const double[2]){0, 0} : of->attributes->texture[at], 2);
}

static void put_texture(const writer *w, const body_corners *corners, int32_t triangles) {
  const export_attributes *a = corners->attributes;
  bool has_any = false;
  for (int32_t i = 0; a->texture_of != NULL && i < triangles; i++)
    has_any = has_any || a->texture_of[corners->numbers[i]][0] >= 0;
  if (!has_any)
    return;
  fputs("            texCoord2f[] primvars:st = [", w->stream);
  write_items(w, &(item_list){put_corner_texture, corners}, 3 * triangles);
  fputs("] (\n                interpolation = \"faceVarying\"\n            )\n", w->stream);
}

static char *put_three(char *to, const void *items, int32_t number) {
  (void)items, (void)number;
  *to = '3';
  return to + 1;
}

static char *put_corner_point(char *to, const void *items, int32_t number) {
  const body_corners *of = items;
  return number_put_count(to, (int64_t)of->triangles[number / 3][number % 3] - of->first_point);
}

static void put_mesh(writer *w, msd_range triangles, msd_range span) {
  const export_shape *shape = w->animation->shape;
  for (int32_t i = 0; i < span.count; i++)
    w->points[i] = span.first + i;
  fputs("        def Mesh \"Surface\"\n        {\n", w->stream);
  fputs("            uniform token subdivisionScheme = \"none\"\n            uniform bool doubleSided = 1\n",
        w->stream);
  const body_corners corners = {w->animation->attributes,
                                (const int32_t(*)[3])shape->triangles + triangles.first,
                                shape->numbers + triangles.first, span.first};
  fputs("            int[] faceVertexCounts = [", w->stream);
  write_items(w, &(item_list){put_three, NULL}, triangles.count);
  fputs("]\n            int[] faceVertexIndices = [", w->stream);
  write_items(w, &(item_list){put_corner_point, &corners}, 3 * triangles.count);
  fputs("]\n", w->stream);
  put_texture(w, &corners, triangles.count);
  put_moving(w, &(prim){w->points, span.count, span});
  fputs("        }\n", w->stream);
}

/* ------------------------------------------------------------------------------------------------- curves */

/* Lines, each of which begins where the one before it ended, are one curve. Returns how many there are. */
static int32_t join_lines(writer *w, msd_range lines, int32_t *points) {
  const export_shape *shape = w->animation->shape;
  int32_t curves = 0;
  *points = 0;
  for (int32_t i = lines.first; i < lines.first + lines.count; i++) {
    const int32_t *line = shape->lines[i];
    if (curves == 0 || w->points[*points - 1] != line[0]) {
      w->points[(*points)++] = line[0];
      w->lengths[curves++] = 1;
    }
    w->points[(*points)++] = line[1];
    w->lengths[curves - 1]++;
  }
  return curves;
}

static char *put_length(char *to, const void *items, int32_t number) {
  const int32_t *lengths = items;
  return number_put_count(to, lengths[number]);
}

static void put_curves(writer *w, msd_range lines, msd_range span) {
  int32_t points;
  const int32_t curves = join_lines(w, lines, &points);
  fputs("        def BasisCurves \"Lines\"\n        {\n            uniform token type = \"linear\"\n",
        w->stream);
  fputs("            int[] curveVertexCounts = [", w->stream);
  write_items(w, &(item_list){put_length, w->lengths}, curves);
  fputs("]\n            float[] widths = [0.005] (\n                interpolation = \"constant\"\n           "
        " )\n",
        w->stream);
  put_moving(w, &(prim){w->points, points, span});
  fputs("        }\n", w->stream);
}

static void put_loose(writer *w, msd_range points, msd_range span) {
  fputs("        def Points \"Points\"\n        {\n", w->stream);
  fputs(
      "            float[] widths = [0.02] (\n                interpolation = \"constant\"\n            )\n",
      w->stream);
  put_moving(w, &(prim){&w->animation->shape->points[points.first], points.count, span});
  fputs("        }\n", w->stream);
}

static void put_group(writer *w, int number) {
  const export_group *group = &w->animation->shape->groups[number];
  const msd_range span = export_group_points(w->animation->shape, group);
  if (span.count == 0)
    return;
  fputs("    def Xform ", w->stream);
  put_name(w->stream, group->name, number);
  fputs("\n    {\n        custom string msd:name = ", w->stream);
  put_string(w->stream, group->name);
  fputc('\n', w->stream);
  if (group->triangles.count > 0)
    put_mesh(w, group->triangles, span);
  if (group->lines.count > 0)
    put_curves(w, group->lines, span);
  if (group->points.count > 0)
    put_loose(w, group->points, span);
  fputs("    }\n", w->stream);
}

bool export_usda(FILE *stream, const export_animation *animation, problem *p) {
  const export_shape *shape = animation->shape;
  const point_samples *samples = animation->samples;
  const size_t room = (size_t)shape->numbering.count + 2 * (size_t)shape->line_count + 1;
  writer w = {.stream = stream,
              .animation = animation,
              .sample = malloc(((size_t)samples->points + 1) * sizeof *w.sample),
              .points = malloc(room * sizeof *w.points),
              .lengths = malloc(((size_t)shape->line_count + 1) * sizeof *w.lengths)};
  const bool ok = (w.sample != NULL && w.points != NULL && w.lengths != NULL) ||
                  problem_set(p, "out of memory for an export");
  if (ok) {
    fprintf(stream,
            "#usda 1.0\n(\n    defaultPrim = \"Scene\"\n    doc = \"msd %s\"\n    metersPerUnit = 1\n"
            "    upAxis = \"Y\"\n    timeCodesPerSecond = %.17g\n    framesPerSecond = %.17g\n"
            "    startTimeCode = %" PRId64 "\n    endTimeCode = %" PRId64 "\n)\n\ndef Xform \"Scene\"\n{\n",
            msd_version(), 1 / animation->frame_time, 1 / animation->frame_time, samples->first,
            samples->first + samples->count - 1);
    for (int b = 0; b < shape->group_count; b++)
      put_group(&w, b);
    fputs("}\n", stream);
  }
  free(w.sample);
  free(w.points);
  free(w.lengths);
  return ok;
}
