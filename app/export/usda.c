/* USDA, the text of USD: one file with a time sample for each frame. A body is a group (Xform) of a mesh, of
   curves for its lines, where springs that follow each other are one curve, and of loose points. */
#include "app/export/formats.h"

#include "app/base/numbers.h"
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

static void put_point(write_buffer *out, const char *before, const float x[3]) {
  const double numbers[3] = {(double)x[0], (double)x[1], (double)x[2]};
  write_buffer_take(out, put_tuple(write_buffer_text(write_buffer_room(out, ITEM_MAX), before), numbers, 3));
}

static void load(writer *w, const prim *p, int64_t sample) {
  point_samples_load(w->animation->samples, sample, p->span, w->sample);
}

static const float *point_of(const writer *w, const prim *p, int32_t i) {
  return w->sample[p->points[i] - p->span.first];
}

static void put_points(writer *w, const prim *p) {
  point_samples *samples = w->animation->samples;
  write_buffer out;
  write_buffer_begin(&out, w->stream);
  fputs("            point3f[] points.timeSamples = {\n", w->stream);
  for (int64_t n = 0; n < samples->count; n++) {
    load(w, p, n);
    fprintf(w->stream, "                %" PRId64 ": [", samples->first + n);
    for (int32_t i = 0; i < p->count; i++)
      put_point(&out, i > 0 ? ", " : "", point_of(w, p, i));
    write_buffer_flush(&out);
    fputs("],\n", w->stream);
  }
  fputs("            }\n", w->stream);
}

static void put_extent(writer *w, const prim *p) {
  point_samples *samples = w->animation->samples;
  write_buffer out;
  write_buffer_begin(&out, w->stream);
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
    put_point(&out, "", least);
    put_point(&out, ", ", most);
    write_buffer_flush(&out);
    fputs("],\n", w->stream);
  }
  fputs("            }\n", w->stream);
}

static void put_moving(writer *w, const prim *p) {
  put_extent(w, p);
  put_points(w, p);
}

/* ------------------------------------------------------------------------------------------------- meshes */

/* Of each corner of the triangles of a body; those without have 0. */
static void put_texture(writer *w, msd_range triangles) {
  const export_attributes *a = w->animation->attributes;
  const export_shape *shape = w->animation->shape;
  bool has_any = false;
  for (int32_t i = triangles.first; a->texture_of != NULL && i < triangles.first + triangles.count; i++)
    has_any = has_any || a->texture_of[shape->numbers[i]][0] >= 0;
  if (!has_any)
    return;
  write_buffer out;
  write_buffer_begin(&out, w->stream);
  fputs("            texCoord2f[] primvars:st = [", w->stream);
  for (int32_t i = 0; i < 3 * triangles.count; i++) {
    const int32_t at = a->texture_of[shape->numbers[triangles.first + i / 3]][i % 3];
    const double none[2] = {0, 0}, *numbers = at < 0 ? none : a->texture[at];
    char *to = write_buffer_text(write_buffer_room(&out, ITEM_MAX), i > 0 ? ", " : "");
    write_buffer_take(&out, put_tuple(to, numbers, 2));
  }
  write_buffer_flush(&out);
  fputs("] (\n                interpolation = \"faceVarying\"\n            )\n", w->stream);
}

static void put_mesh(writer *w, msd_range triangles, msd_range span) {
  const export_shape *shape = w->animation->shape;
  for (int32_t i = 0; i < span.count; i++)
    w->points[i] = span.first + i;
  fputs("        def Mesh \"Surface\"\n        {\n", w->stream);
  fputs("            uniform token subdivisionScheme = \"none\"\n            uniform bool doubleSided = 1\n",
        w->stream);
  fputs("            int[] faceVertexCounts = [", w->stream);
  for (int32_t i = 0; i < triangles.count; i++)
    fputs(i > 0 ? ", 3" : "3", w->stream);
  fputs("]\n            int[] faceVertexIndices = [", w->stream);
  write_buffer out;
  write_buffer_begin(&out, w->stream);
  for (int32_t i = 0; i < 3 * triangles.count; i++) {
    char *to = write_buffer_text(write_buffer_room(&out, ITEM_MAX), i > 0 ? ", " : "");
    to = number_put_count(to, (int64_t)shape->triangles[triangles.first + i / 3][i % 3] - span.first);
    write_buffer_take(&out, to);
  }
  write_buffer_flush(&out);
  fputs("]\n", w->stream);
  put_texture(w, triangles);
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

static void put_curves(writer *w, msd_range lines, msd_range span) {
  int32_t points;
  const int32_t curves = join_lines(w, lines, &points);
  fputs("        def BasisCurves \"Lines\"\n        {\n            uniform token type = \"linear\"\n",
        w->stream);
  fputs("            int[] curveVertexCounts = [", w->stream);
  for (int32_t i = 0; i < curves; i++)
    fprintf(w->stream, "%s%ld", i > 0 ? ", " : "", (long)w->lengths[i]);
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
            msd_version(), 1 / animation->time_step, 1 / animation->time_step, samples->first,
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
