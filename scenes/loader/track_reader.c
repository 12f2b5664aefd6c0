#include "scenes/loader/track_reader.h"

#include "scenes/loader/transform.h"

#include <stdlib.h>

const quantity quantity_time = {"a time of 0 or more in s", 0, NUMBER_LARGEST};

bool times_read(const json_place *object, const char *key, const char *text, double *begin, double *end) {
  const json_place list = place_member(object, key);
  double *times[] = {begin, end};
  if (!list.value)
    return true;
  if (!place_check_array_of(&list, 2, text))
    return false;
  for (size_t i = 0; i < 2; i++) {
    const json_place item = place_item(&list, i);
    if (!place_get_number(&item, &quantity_time, times[i]))
      return false;
  }
  return *end > *begin ||
         place_fail(&list, "ends at %g s, not after its begin at %g s; give a later end", *end, *begin);
}

typedef struct key_context {
  const track_words *words;
  const scene_key *standard;
} key_context;

static bool read_key(const void *context, const json_place *place, void *item) {
  const key_context *c = context;
  const char *const keys[] = {"time", c->words->offset, c->words->turns ? "rotation" : NULL, NULL};
  scene_key *key = item;
  *key = *c->standard;
  const json_place given = place_member(place, c->words->offset);
  msd_vec3 offset = key_position(key);
  if (!place_check_object(place, keys) || !require_member(place, "time", quantity_time.text) ||
      !read_double(place, "time", &quantity_time, &key->time) || !read_degrees(place, key->rotation) ||
      (given.value &&
       !(c->words->is_point ? place_get_position(&given, &offset) : place_get_vector(&given, &offset))))
    return false;
  key->offset[0] = (double)offset.x;
  key->offset[1] = (double)offset.y;
  key->offset[2] = (double)offset.z;
  return true;
}

static bool check_times(const json_place *list, const scene_track *track) {
  for (int k = 1; k < track->count; k++) {
    const json_place key = place_item(list, (size_t)k), time = place_member(&key, "time");
    if (!(track->keys[k].time > track->keys[k - 1].time))
      return place_fail(&time,
                        "is %.9g s, not after the keyframe before it, at %.9g s; put the keyframes in order",
                        track->keys[k].time, track->keys[k - 1].time);
  }
  return true;
}

bool track_read(const json_place *object, const track_words *words, const scene_key *standard,
                scene_track *track) {
  const key_context context = {words, standard};
  const char *text = "a list of at least one keyframe, such as { \"time\": 0 }";
  const json_place place = place_member(object, words->list);
  json_list list;
  if (!require_member(object, words->list, text) ||
      !read_list(object, words->list, text, sizeof(scene_key), read_key, &context, &list))
    return false;
  *track = (scene_track){list.items, (int)list.count};
  return list.count > 0 ? check_times(&place, track) : place_fail(&place, "is empty; it must be %s", text);
}
