#include "app/report/info.h"

#include "app/base/text_line.h"
#include "app/base/units.h"
#include "app/report/contact_report.h"
#include "app/report/contents.h"
#include "app/report/places.h"

#include <inttypes.h>
#include <string.h>

enum { LINE_TEXT_MAX = 1200, LABEL_WIDTH = 12 };

bool info_make(scene *s, bool with_estimate, scene_info *out, problem *p) {
  *out = (scene_info){.scene = s, .stats = msd_world_get_stats(s->world)};
  if (!stability_report_make(s, with_estimate, &out->stability, p))
    return false;
  if (msd_world_find_components(s->world, NULL, NULL, &out->components) != MSD_OK)
    return problem_set(p, "%s: out of memory to find its components", s->path);
  for (int32_t i = 0; i < out->stats.springs; i++) {
    const msd_damage_def damage = msd_spring_get_damage(s->world, i);
    out->laws[msd_spring_get_def(s->world, i).law]++;
    out->tearable += damage.tear_strain > 0;
    out->splitting += damage.split;
    out->yielding += damage.yield_strain > 0;
  }
  for (int32_t i = 0; i < out->stats.constraints; i++)
    out->constraint_kinds[msd_constraint_get_def(s->world, i).kind]++;
  return (out->stats.springs == 0 ||
          method_choose(s->world, s->frame_time, METHOD_STRETCH, 0, &out->method, p) || out->method.made) &&
         memory_report_make(s, &out->memory, p);
}

int32_t info_count_pinned(const scene *s, const scene_body *body) {
  int32_t pinned = 0;
  for (int32_t i = 0; i < body->particles.count; i++)
    pinned += msd_particle_is_pinned(s->world, body->particles.first + i);
  return pinned;
}

/* A label, and what it says. An empty label continues the line before. */
static void print_line(const char *label, const char *text, FILE *stream) {
  text_print(label, LABEL_WIDTH, text, stream);
}

static void print_scene(const scene_info *all, FILE *stream) {
  const scene *s = all->scene;
  const units_scale scale = units_scale_of(s->frame_time, "s");
  char text[LINE_TEXT_MAX];
  contents_describe_elements(s, &all->stats, text, sizeof text);
  text_line line = {.text = text, .size = sizeof text, .used = strlen(text)};
  if (all->stats.particles > 0)
    text_list(&line, "%s kg", units_number(all->stats.total_mass, 3).text);
  text_add(&line, "; %s s in %s %s frames", units_number(s->duration, 4).text,
           units_number(s->frame_time * scale.factor, 4).text, scale.unit);
  print_line("scene", text, stream);
}

/* "curtain: cloth 64 x 64". */
static void add_body(text_line *line, const scene_body *body) {
  text_list(line, "%s: ", body->name);
  if (strcmp(body->kind, "rotors") != 0 && strcmp(body->kind, "particles") != 0)
    text_add(line, "%s%s", body->kind, body->columns > 0 || body->cells[0] > 0 ? "" : " of ");
  if (body->columns > 0)
    text_add(line, " %d x %d", (int)body->columns, (int)body->rows);
  else if (body->cells[0] > 0)
    text_add(line, " %d x %d x %d", (int)body->cells[0], (int)body->cells[1], (int)body->cells[2]);
  else if (body->rotors.rotors.count > 0)
    text_add(line, "%d rotors", (int)body->rotors.rotors.count);
  else
    text_add(line, "%s particle%s", units_count(body->particles.count).text,
             body->particles.count == 1 ? "" : "s");
}

/* "; 8,064 stretch, 7,938 shear, 7,936 bend springs". */
static void add_groups(text_line *line, const scene_body *body) {
  const char *separator = "; ";
  bool has_springs = false;
  for (int g = 0; g < body->group_count; g++) {
    const scene_group *group = &body->groups[g];
    const bool is_plain = strcmp(group->name, "springs") == 0;
    if (is_plain && body->group_count == 1)
      break;
    text_add(line, "%s%s %s", separator, units_count(group->springs.count).text,
             is_plain                              ? "other"
             : strcmp(group->name, "tethers") == 0 ? "tether"
                                                   : group->name);
    has_springs = true;
    separator = ", ";
  }
  if (has_springs)
    text_add(line, " springs");
}

/* The bodies from the first that fit into one line, with the number of the others; at least one body. */
static void add_bodies(text_line *line, const scene *s) {
  static const size_t width = TEXT_COLUMNS - LABEL_WIDTH - (sizeof ", 1,000 more" - 1);
  for (int b = 0; b < s->body_count; b++) {
    const size_t before = line->used;
    add_body(line, &s->bodies[b]);
    if (b == 0 || line->used <= width)
      continue;
    line->text[line->used = before] = '\0';
    text_list(line, "%d more", s->body_count - b);
    return;
  }
}

/* One body with its size and its springs, or the names of several. */
static void print_bodies(const scene *s, FILE *stream) {
  char text[LINE_TEXT_MAX];
  text_line line = text_line_begin(text, sizeof text);
  double size[3];
  add_bodies(&line, s);
  if (s->body_count == 1 && s->bodies[0].particles.count > 0) {
    scene_body_size(s, &s->bodies[0], size);
    text_add(&line, ", %s x ", units_number(size[0], 2).text);
    text_add(&line, "%s x ", units_number(size[1], 2).text);
    text_add(&line, "%s m", units_number(size[2], 2).text);
    add_groups(&line, &s->bodies[0]);
  }
  if (s->body_count > 0)
    print_line("", text, stream);
}

static void print_stability(const scene_info *all, FILE *stream) {
  char text[LINE_TEXT_MAX];
  stability_report_describe(all->scene, &all->stability, text, sizeof text);
  print_line("stability", text, stream);
  stability_report_describe_limit(all->scene, &all->stability, text, sizeof text);
  if (*text != '\0')
    print_line("", text, stream);
}

static void print_contact(const scene_info *all, FILE *stream) {
  char text[CONTACT_TEXT_MAX], stack[CONTACT_TEXT_MAX];
  contact_report_describe_size(all->scene, &all->memory.stepped, text);
  contact_report_describe_stack(all->scene, all->stability.run_substeps, stack);
  text_line line = {.text = text, .size = sizeof text, .used = strlen(text)};
  if (*stack != '\0')
    text_add(&line, "; %s", stack);
  if (*text != '\0')
    print_line("contact", text, stream);
}

static bool has_contact(const scene_info *all) {
  return all->stats.colliders + all->stats.collision_meshes > 0;
}

/* What the cost of springs and constraints leaves out; NULL: nothing. */
static const char *not_estimated(const scene_info *all) {
  return has_contact(all) ? "collisions" : NULL;
}

/* What is counted where something is left out. */
static const char *estimated(const scene_info *all) {
  if (all->stats.constraints == 0)
    return "springs ";
  return all->stats.springs > 0 ? "springs and constraints " : "constraints ";
}

/* Of the solver and the substeps of the scene, not of the cheapest ones. */
static void print_cost(const scene_info *all, FILE *stream) {
  char text[LINE_TEXT_MAX];
  text_line line = text_line_begin(text, sizeof text);
  const msd_world *world = all->scene->world;
  const double frame = all->stability.run_substeps * method_substep_cost(world, method_of(world));
  const char *others = not_estimated(all);
  if (all->stats.particles == 0 || all->stability.run_substeps == 0)
    return;
  if (all->stats.springs + all->stats.constraints > 0)
    text_add(&line, "%sabout %s ms per frame on one core", others != NULL ? estimated(all) : "",
             units_number(1000 * frame, 2).text);
  if (others != NULL && all->stats.springs + all->stats.constraints > 0)
    text_add(&line, ", without %s (see msd run)", others);
  else if (others != NULL)
    text_add(&line, "not estimated for %s: msd run measures it", others);
  print_line("cost", text, stream);
}

/* "explicit 46 substeps, 1.1 ms (cheapest)". Costs are compared only where they are complete. The solver of the
   scene takes the substeps of the scene. */
static void add_solver(text_line *line, const scene_info *all, method_kind kind, bool is_first) {
  const method_prospect *m = &all->method.of[kind];
  const bool is_own = kind == method_of(all->scene->world) && all->stability.run_substeps > 0;
  const int substeps = is_own ? all->stability.run_substeps : (int)m->substeps;
  text_add(line, "%s%s", is_first ? "" : "; ", method_name(kind));
  if (*m->refusal != '\0') {
    text_add(line, ": not %s",
             contents_have_self_collision(all->scene) ? "with self-collision"
             : all->stats.collision_meshes > 0        ? "with collision between bodies"
                                                      : "available");
    return;
  }
  text_add(line, " %d%s%s", substeps, is_first ? " substep" : "", is_first && substeps != 1 ? "s" : "");
  if (not_estimated(all) == NULL)
    text_add(line, ", %s ms%s", units_number(1000 * substeps * m->substep_cost, 2).text,
             kind == all->method.chosen ? " (cheapest)" : "");
}

static void print_solvers(const scene_info *all, FILE *stream) {
  char text[LINE_TEXT_MAX];
  text_line line = text_line_begin(text, sizeof text);
  bool is_first = true;
  text_add(&line, "for about %s stretch: ", units_percent(all->method.wanted).text);
  for (int available = 1; available >= 0; available--)
    for (int kind = 0; kind < METHOD_COUNT; kind++) {
      if ((*all->method.of[kind].refusal == '\0') != (available == 1))
        continue;
      add_solver(&line, all, (method_kind)kind, is_first);
      is_first = false;
    }
  if (all->method.made)
    print_line("solvers", text, stream);
}

/* Bodies that a setting made softer than their material: "denim 6.4 times". */
static void add_softened(text_line *line, const scene *s) {
  int count = 0;
  bool by_weight = false;
  for (int b = 0; b < s->body_count; b++) {
    const scene_body *body = &s->bodies[b];
    const double before = (double)body->asked.stretch_modulus, after = (double)body->material.stretch_modulus;
    if (body->material.cookie == 0 || !(after > 0) || before <= after)
      continue;
    if (count++ == 0)
      text_add(line, "%ssofter than the material: ", line->used > 0 ? "; " : "");
    else
      text_add(line, ", ");
    text_add(line, "%s %s times", body->name, units_number(before / after, 2).text);
    by_weight = by_weight || body->asked.stretch_under_weight > 0;
  }
  if (by_weight)
    text_add(line, " (stretch_under_weight)");
}

/* Whether there are boxes that stop only vertices: of bodies without a collision mesh, or of all with mass
   scaling. */
static bool has_boxes_for_vertices(const scene *s) {
  bool has_box = false, lacks_mesh = msd_world_get_mass_scaling(s->world) != MSD_MASS_SCALING_NONE;
  for (int32_t n = 0; n < msd_world_get_collider_count(s->world); n++)
    has_box = has_box || msd_collider_get_def(s->world, n).kind == MSD_COLLIDER_BOX;
  for (int b = 0; b < s->body_count; b++)
    lacks_mesh = lacks_mesh || s->bodies[b].surface.number < 0;
  return has_box && lacks_mesh;
}

/* What a user should know before a run; the warnings of a run are the others. */
static void print_note(const scene_info *all, FILE *stream) {
  char text[LINE_TEXT_MAX];
  text_line line = text_line_begin(text, sizeof text);
  const msd_vec3 gravity = msd_world_get_gravity(all->scene->world);
  const bool has_gravity = gravity.x != 0 || gravity.y != 0 || gravity.z != 0;
  if (has_gravity && all->stats.particles > 0 && all->components.attached == 0)
    text_add(&line, "no pins: bodies fall%s", all->stats.colliders > 0 ? " onto colliders" : " freely");
  if (stability_report_may_gain_energy(all->scene, &all->stability))
    text_add(&line, "%slight damping: energy can rise unless --energy-mode bounded",
             *text != '\0' ? "; " : "");
  if (has_boxes_for_vertices(all->scene))
    text_add(&line, "%sboxes stop only vertices %s", *text != '\0' ? "; " : "",
             msd_world_get_mass_scaling(all->scene->world) != MSD_MASS_SCALING_NONE
                 ? "with mass scaling"
                 : "of bodies without a collision mesh");
  add_softened(&line, all->scene);
  if (*text != '\0')
    print_line("note", text, stream);
}

/* "curtain: A curtain cut askew swings on four rings"; the title stands in for a missing description. */
static void print_name(const scene *s, FILE *stream) {
  char name[LINE_TEXT_MAX];
  const char *what = *s->description != '\0' ? s->description : s->title;
  snprintf(name, sizeof name, "%s%s%s", s->name, *what != '\0' ? ": " : "", what);
  text_print("", 0, name, stream);
}

void info_print(const scene_info *all, FILE *stream) {
  const scene *s = all->scene;
  char text[LINE_TEXT_MAX];
  print_name(s, stream);
  print_scene(all, stream);
  print_bodies(s, stream);
  print_stability(all, stream);
  print_contact(all, stream);
  stability_report_describe_stretch(s, &all->stability, text, sizeof text);
  if (*text != '\0')
    print_line("stretch", text, stream);
  print_cost(all, stream);
  print_solvers(all, stream);
  print_note(all, stream);
}
