#include "app/run/outputs.h"

#include "app/base/output_file.h"
#include "app/base/scene_input.h"

static bool check_file(const scene *s, const char *path, problem *p) {
  return scene_input_spare(s, path, p) && output_file_check(path, p);
}

/* Of `count` particles or rotors, or of the world, 0; nothing when no path is given. */
static bool open_trace(run_outputs *all, trace_kind kind, int32_t count, const run_options *o,
                       const run_plan *plan, problem *p) {
  const char *path = o->traces[kind];
  if (path == NULL)
    return true;
  if (!check_file(all->scene, path, p))
    return false;
  const int64_t last_frame = plan->first_frame - plan->first_frame % o->every;
  all->traces[kind] = o->resume != NULL ? trace_continue(kind, path, count, run_plan_time(plan, last_frame),
                                                         plan->frame_time, p)
                                        : trace_open(kind, path, p);
  return all->traces[kind] != NULL;
}

static bool open_traces(run_outputs *all, const run_options *o, const run_plan *plan, problem *p) {
  const msd_world *world = all->scene->world;
  return open_trace(all, TRACE_PARTICLES, scene_particles(all->scene), o, plan, p) &&
         open_trace(all, TRACE_ROTORS, msd_world_get_rotor_count(world), o, plan, p) &&
         open_trace(all, TRACE_ENERGY, 0, o, plan, p);
}

static bool open_export(run_outputs *all, const run_options *o, const run_plan *plan, gathered_rows *rows,
                        problem *p) {
  if (o->export_folder == NULL)
    return true;
  const export_request request = {.folder = o->export_folder,
                                  .format = o->format,
                                  .edges = o->edges,
                                  .seams = o->seams,
                                  .first_index = o->resume != NULL ? plan->first_frame / o->every + 1 : 0,
                                  .frame_time = plan->frame_time * (double)o->every,
                                  .frames = plan->frames / o->every,
                                  .every = o->every,
                                  .substeps = plan->substeps,
                                  .rows = rows};
  all->exporter = export_open(&request, all->scene, p);
  return all->exporter != NULL;
}

static bool open_pictures(run_outputs *all, const run_options *o, const run_plan *plan, problem *p) {
  if (o->png == NULL && o->video == NULL)
    return true;
  const pictures_request request = {.png = o->png,
                                    .video = o->video,
                                    .frames_per_second = 1 / (plan->frame_time * (double)o->every),
                                    .look = o->picture};
  all->pictures = pictures_open(&request, all->scene, p);
  return all->pictures != NULL;
}

static void discard(run_outputs *all) {
  for (int kind = 0; kind < TRACE_KIND_COUNT; kind++)
    trace_discard(all->traces[kind]);
  export_discard(all->exporter);
  pictures_discard(all->pictures);
}

bool run_outputs_open(run_outputs *all, const run_options *o, const run_plan *plan, const scene *s,
                      gathered_rows *rows, problem *p) {
  *all = (run_outputs){.scene = s, .every = o->every};
  if ((o->save == NULL || check_file(s, o->save, p)) && open_traces(all, o, plan, p) &&
      open_export(all, o, plan, rows, p) && open_pictures(all, o, plan, p))
    return true;
  discard(all);
  return false;
}

bool run_outputs_trace(run_outputs *all, int64_t frame, double time, problem *p) {
  bool ok = true;
  problem later;
  for (int kind = 0; kind < TRACE_KIND_COUNT && frame % all->every == 0; kind++)
    if (all->traces[kind] != NULL)
      ok = trace_write(all->traces[kind], all->scene->world, time, ok ? p : &later) && ok;
  return ok;
}

bool run_outputs_show(run_outputs *all, int64_t frame, double time, problem *p) {
  const int64_t index = frame / all->every;
  if (frame % all->every != 0)
    return true;
  if (all->exporter != NULL && !export_write(all->exporter, index, time, p))
    return false;
  return all->pictures == NULL || pictures_frame(all->pictures, index, p);
}

bool run_outputs_write(run_outputs *all, int64_t frame, double time, problem *p) {
  return run_outputs_trace(all, frame, time, p) && run_outputs_show(all, frame, time, p);
}

bool run_outputs_flush(run_outputs *all, problem *p) {
  for (int kind = 0; kind < TRACE_KIND_COUNT; kind++)
    if (all->traces[kind] != NULL && !trace_flush(all->traces[kind], p))
      return false;
  return all->exporter == NULL || export_flush(all->exporter, p);
}

bool run_outputs_close(run_outputs *all, bool ok, problem *p) {
  problem later;
  for (int kind = 0; kind < TRACE_KIND_COUNT; kind++)
    ok = trace_close(all->traces[kind], ok ? p : &later) && ok;
  ok = export_close(all->exporter, ok ? p : &later) && ok;
  return pictures_end(all->pictures, ok, ok ? p : &later) && ok;
}
