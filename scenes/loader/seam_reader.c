#include "scenes/loader/seam_reader.h"

#include "scenes/loader/boundary.h"
#include "scenes/loader/distance.h"
#include "scenes/loader/spring_reader.h"
#include "scenes/loader/track_reader.h"

#include <math.h>
#include <stdlib.h>

typedef struct seam_task {
  scene *scene;
  const body_names *names;

  /* What all springs of the seam have, and the two borders. */
  msd_spring_def pattern;
  particle_line lines[2];

  /* Its springs. */
  msd_spring_def *defs;
  int32_t count;
} seam_task;

/* --------------------------------------------------------------------------------------------------- pairs */

/* How far along its line each particle is, from 0 to 1; NULL when out of memory. */
static double *parts_of(const seam_task *t, const particle_line *line) {
  double *part = malloc(((size_t)line->count + 1) * sizeof *part), way = 0;
  for (int32_t i = 0; part && i < line->count; i++) {
    way += i > 0 ? particle_distance(t->scene->world, line->particles[i - 1], line->particles[i]) : 0;
    part[i] = way;
  }
  for (int32_t i = 0; part && way > 0 && i < line->count; i++)
    part[i] /= way;
  return part;
}

/* One that both borders have is sewn already. */
static void add_pair(seam_task *t, int32_t i, int32_t j) {
  msd_spring_def *def = &t->defs[t->count];
  *def = t->pattern;
  def->a = t->lines[0].particles[i];
  def->b = t->lines[1].particles[j];
  t->count += def->a != def->b;
}

/* Each particle of the border that has more gets the one of the other that is nearest to as far along, and
   those of the other that are passed over go to it too. */
static void pair_by_parts(seam_task *t, const double *const parts[2]) {
  const int longer = t->lines[1].count > t->lines[0].count, shorter = 1 - longer;
  const int32_t many = t->lines[longer].count, few = t->lines[shorter].count;
  int32_t j = 0, next = 0;
  for (int32_t i = 0; i < many; i++) {
    while (j + 1 < few &&
           fabs(parts[shorter][j + 1] - parts[longer][i]) <= fabs(parts[shorter][j] - parts[longer][i]))
      j++;
    for (int32_t k = next <= j ? next : j; k <= j; k++)
      add_pair(t, longer ? k : i, longer ? i : k);
    next = j + 1;
  }
}

static bool pair_up(seam_task *t, const json_place *place) {
  const int32_t many = t->lines[0].count, others = t->lines[1].count;
  t->defs = malloc(((size_t)many + (size_t)others + 1) * sizeof *t->defs);
  if (!t->defs)
    return place_out_of_memory(place);
  if (many == others) {
    for (int32_t i = 0; i < many; i++)
      add_pair(t, i, i);
    return true;
  }
  double *parts[2] = {parts_of(t, &t->lines[0]), parts_of(t, &t->lines[1])};
  const bool done = parts[0] && parts[1];
  if (done)
    pair_by_parts(t, (const double *const[2]){parts[0], parts[1]});
  free(parts[0]);
  free(parts[1]);
  return done || place_out_of_memory(place);
}

/* ------------------------------------------------------------------------------------------------- reading */

static bool keep(seam_task *t, const json_place *place, const scene_seam *read) {
  scene *s = t->scene;
  int32_t first = -1;
  if (t->count == 0)
    return place_fail(place, "sews nothing: both borders are the same particles");
  scene_seam *seam = animation_add_seam(&s->animation);
  if (!seam)
    return place_out_of_memory(place);
  *seam = *read;
  seam->placed = malloc((size_t)t->count * sizeof *seam->placed);
  if (!seam->placed)
    return place_out_of_memory(place);
  if (msd_add_springs(s->world, t->defs, t->count, &first) != MSD_OK)
    return place_fail(place, "%s", msd_world_message(s->world));
  seam->springs = (msd_range){first, t->count};
  for (int32_t i = 0; i < t->count; i++)
    seam->placed[i] = msd_spring_get_def(s->world, first + i).rest_length;
  s->joints = (msd_range){s->joints.count > 0 ? s->joints.first : first, s->joints.count + t->count};
  return true;
}

/* Of the lines of a mesh: from 0 to 1 s, as a seam without keys. */
static bool sew_lines(const json_place *root, scene *s, const scene_body *body) {
  const json_place list = place_member(root, "bodies"), place = place_item(&list, (size_t)(body - s->bodies));
  const scene_seam seam = {.begin = 0, .end = 1};
  seam_task task = {.scene = s, .defs = malloc((size_t)body->sewn_count * sizeof *task.defs)};
  if (!task.defs)
    return place_out_of_memory(&place);
  for (; task.count < body->sewn_count; task.count++) {
    msd_spring_def *def = &task.defs[task.count];
    *def = msd_default_spring_def();
    def->law = MSD_SPRING_COEFFICIENT;
    def->mode = MSD_SPRING_TENSION_ONLY;
    def->a = body->sewn[2 * task.count];
    def->b = body->sewn[2 * task.count + 1];
  }
  const bool done = keep(&task, &place, &seam);
  free(task.defs);
  return done;
}

static bool read_border(seam_task *t, const json_place *ends, int end) {
  const json_place name = place_item(ends, 2 * (size_t)end), which = place_item(ends, 2 * (size_t)end + 1);
  const scene_body *body = NULL;
  return body_names_find(&name, t->scene, t->names, &body) &&
         border_read(&which, t->scene->world, body, &t->lines[end]);
}

static bool read_members(seam_task *t, const json_place *place, scene_seam *seam) {
  static const char *const keys[] = {"between", "closing_time", "gap", SPRING_HARD_LIMIT_KEY, SPRING_LAW_KEYS,
                                     NULL};
  static const quantity gap = {"a length of 0 or more in m", 0, NUMBER_LARGEST};
  const char *text =
      "[body, border, body, border], such as [\"front\", [3, 4, 5], \"back\", { \"along\": [7, 30] }]";
  const json_place ends = place_member(place, "between");
  return place_check_object(place, keys) && require_member(place, "between", text) &&
         place_check_array_of(&ends, 4, text) &&
         times_read(place, "closing_time", "two times in s: when it begins to close, and when it is closed",
                    &seam->begin, &seam->end) &&
         read_double(place, "gap", &gap, &seam->gap) &&
         spring_read_own_law(place, SPRING_LENGTH, &t->pattern) && read_border(t, &ends, 0) &&
         read_border(t, &ends, 1);
}

/* Thread pulls, and does not push. */
static bool read_seam(seam_task *t, const json_place *place) {
  scene_seam seam = {.begin = 0, .end = 1};
  bool done = read_members(t, place, &seam);
  t->pattern.mode = MSD_SPRING_TENSION_ONLY;
  if (done && t->scene->world)
    done = pair_up(t, place) && keep(t, place, &seam);
  free(t->lines[0].particles);
  free(t->lines[1].particles);
  free(t->defs);
  return done;
}

bool seams_read(const json_place *root, scene *s, const body_names *names) {
  const json_place list = place_member(root, "seams");
  for (int b = 0; b < s->body_count; b++)
    if (s->bodies[b].sewn_count > 0 && !sew_lines(root, s, &s->bodies[b]))
      return false;
  if (!list.value)
    return true;
  if (!place_check_array(&list, "a list of seams"))
    return false;
  for (size_t i = 0; i < json_array_size(list.value); i++) {
    const json_place item = place_item(&list, i);
    seam_task task = {.scene = s, .names = names};
    if (!read_seam(&task, &item))
      return false;
  }
  return true;
}
