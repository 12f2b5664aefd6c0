#include "scenes/loader/connection_reader.h"

#include "scenes/loader/damage_reader.h"
#include "scenes/loader/particle_name.h"
#include "scenes/loader/spring_reader.h"

#include <stdlib.h>

typedef struct joint_context {
  const scene *scene;
  const body_names *names;
} joint_context;

static bool read_end(const json_place *ends, size_t index, const joint_context *c, int32_t *particle) {
  json_place name = place_item(ends, index), which = place_item(ends, index + 1);
  const scene_body *body = NULL;
  return body_names_find(&name, c->scene, c->names, &body) &&
         particle_read(&which, c->scene->world, body, particle);
}

static bool read_connection(const void *context, const json_place *place, void *item) {
  const char *text =
      "[body, particle, body, particle], such as [\"rope\", \"last\", \"cloth\", \"top_left\"]";
  msd_spring_def *def = item;
  json_place ends = place_member(place, "between");
  return spring_read_single(place, text, def) && place_check_array_of(&ends, 4, text) &&
         read_end(&ends, 0, context, &def->a) && read_end(&ends, 2, context, &def->b) &&
         spring_check_ends(&ends, def->a, def->b, "particle");
}

bool connections_read(const json_place *root, scene *s, const body_names *names) {
  const joint_context context = {s, names};
  json_list list;
  if (!read_list(root, "connections", "a list of connections", sizeof(msd_spring_def), read_connection,
                 &context, &list))
    return false;
  bool done = true;
  if (s->world && list.count > 0) {
    const json_place place = place_member(root, "connections");
    s->joints.count = (int32_t)list.count;
    done = msd_add_springs(s->world, list.items, s->joints.count, &s->joints.first) == MSD_OK ||
           place_fail(&place, "%s", msd_world_message(s->world));
  }
  const json_place joints = place_member(root, "connections");
  damage_backing backing;
  done = done && damage_read_list(&joints, s->world, s->joints.first, &backing);
  if (done)
    s->joints.count += backing.stiffening.count + backing.limit.count;
  free(list.items);
  return done;
}
