#include "engine/contact/motion_bound.h"

#include "engine/base/min_max.h"
#include "engine/contact/flags.h"

#include <math.h>
#include <string.h>

/* A violated skin grows to WIDER times the deviation; each skin keeps NARROWER of its width in the next
   motion bound, or NARROWER_BY_FAR if skins follow the deviation. */
static const double WIDER = 1.5, NARROWER = 0.75, NARROWER_BY_FAR = 0.5;

/* m: the least skin, so that it can be widened. */
static const msd_real NARROWEST = (msd_real)1e-6;

/* If skins follow the deviation: slots per group; substeps that they should last; substeps that the last
   motion bound must have lasted. */
enum { GROUP = 16, HELD_SUBSTEPS = 6, SHOWN_SUBSTEPS = 3 };

/* Factor on the expected deviation; limits relative to the least skin of the plan; the fraction of the
   horizon that slow particles should last, if that takes at most CALM_SHARE of that skin. */
static const double OFF_SHARE = 3, LEAST_SHARE = 1.0 / 3, MOST_SHARE = 2, HELD_SHARE = 0.75, CALM_SHARE = 0.7;

/* The tolerated fraction of particles without the common acceleration, in a sample of about so many groups. */
static const double LONE_SHARE = 1.0 / 16;
enum { ASKED_GROUPS = 256 };

bool motion_bound_reserve(motion_bound *f, memory *m, const particle_store *p) {
  motion_bound_free(f, m);
  f->state = particle_allocate_slab(p, m, MOTION_BOUND_COMPONENTS, &f->block);
  f->stride = p->stride;
  f->particles = p->count;
  return f->state;
}

void motion_bound_free(motion_bound *f, memory *m) {
  memory_release(m, f->block);
  *f = (motion_bound){0};
}

void motion_bound_forget(motion_bound *f) {
  for (size_t k = 0; k < MOTION_BOUND_COMPONENTS && f->particles > 0; k++)
    memset(f->state + k * f->stride, 0, (size_t)f->particles * sizeof *f->state);
  f->horizon = f->age = 0;
  f->holds = false;
  motion_bound_straighten(f);
}

bool motion_bound_shows(const motion_bound *f, double dt) {
  return f->age > (SHOWN_SUBSTEPS - 0.5) * dt;
}

void motion_bound_straighten(motion_bound *f) {
  for (size_t axis = 0; axis < 3; axis++)
    f->bend[axis] = 0;
}

/* NaNs are ignored. Written in groups of 16, so that compilers vectorize it. */
double motion_bound_fastest(const motion_bound_substep *s, int32_t particles) {
  msd_real most[GROUP] = {0}, least[GROUP] = {0};
  for (size_t k = 3; k < COMPONENTS; k++) {
    const msd_real *v = s->before + k * s->stride;
    int32_t slot = 0;
    for (; particles - slot >= GROUP; slot += GROUP)
      for (int n = 0; n < GROUP; n++) {
        most[n] = v[slot + n] > most[n] ? v[slot + n] : most[n];
        least[n] = v[slot + n] < least[n] ? v[slot + n] : least[n];
      }
    for (; slot < particles; slot++) {
      most[0] = v[slot] > most[0] ? v[slot] : most[0];
      least[0] = v[slot] < least[0] ? v[slot] : least[0];
    }
  }
  for (int n = 0; n < GROUP; n++) {
    most[0] = most[n] > most[0] ? most[n] : most[0];
    most[0] = -least[n] > most[0] ? -least[n] : most[0];
  }
  return (double)most[0];
}

/* The squared deviation of a particle from a motion bound at an age in s. */
static double square_off(const motion_bound *f, const msd_real *state, size_t stride, int32_t slot,
                         double age) {
  double square = 0;
  for (size_t axis = 0; axis < 3; axis++) {
    const msd_real *x = f->state + axis * f->stride + (size_t)slot;
    const double off = (double)state[axis * stride + (size_t)slot] -
                       ((double)*x + (double)x[3 * f->stride] * age + motion_bound_shift(f, axis, age));
    square += off * off;
  }
  return square;
}

/* Shared by the threads. */
typedef struct beginning {
  motion_bound *f;
  const motion_bound_substep *s;
  const motion_bound_plan *plan;
  bool watches;
} beginning;

/* The skin of a group of slots by their deviation from the last motion bound. */
static double skin_by_last(const beginning *b, int32_t first, int32_t end) {
  const motion_bound *f = b->f;
  double sum = 0;
  for (int32_t slot = first; slot < end; slot++)
    sum += square_off(f, b->s->before, b->s->stride, slot, f->age);
  const double off = OFF_SHARE * sqrt(sum / (end - first)), skin = b->plan->skin,
               soon = HELD_SUBSTEPS * b->s->dt / f->age,
               later = fmin(1, HELD_SHARE * b->plan->horizon / f->age);
  const double wanted = fmin(fmax(off * soon * soon, LEAST_SHARE * skin), MOST_SHARE * skin);
  return fmax(wanted, fmin(off * later * later, CALM_SHARE * skin));
}

/* Skins become narrower here, but never while a substep is repeated, so repetition ends. The range begins at
   a multiple of GROUP. */
static void begin_skins(const beginning *b, parallel_range slots) {
  const motion_bound *f = b->f;
  const motion_bound_plan *plan = b->plan;
  const bool follows = plan->follows_the_last && motion_bound_shows(f, b->s->dt);
  const double kept = follows ? NARROWER_BY_FAR : f->age > 0 ? NARROWER : 1;
  msd_real *skins = motion_bound_skins(f);
  for (int32_t first = slots.first; first < slots.last; first += GROUP) {
    const int32_t end = int_min(first + GROUP, slots.last);
    const double least = follows ? skin_by_last(b, first, end) : plan->skin;
    for (int32_t slot = first; slot < end; slot++) {
      const double narrower = skins[slot] < MOTION_BOUND_UNWATCHED ? kept * (double)skins[slot] : 0;
      skins[slot] = (msd_real)(narrower > least ? narrower : least) + NARROWEST;
    }
  }
}

static void watch_nobody(const beginning *b, parallel_range slots) {
  msd_real *skins = motion_bound_skins(b->f);
  for (int32_t slot = slots.first; slot < slots.last; slot++)
    skins[slot] = MOTION_BOUND_UNWATCHED;
}

static void begin_share(void *context, int thread, int threads) {
  const beginning *b = context;
  const int32_t particles = b->f->particles;
  const parallel_range groups = parallel_split((particles + GROUP - 1) / GROUP, thread, threads),
                       slots = {groups.first * GROUP, int_min(groups.last * GROUP, particles)};
  if (slots.first >= slots.last)
    return;
  if (b->watches)
    begin_skins(b, slots);
  else
    watch_nobody(b, slots);
  for (size_t k = 0; k < COMPONENTS; k++)
    memcpy(b->f->state + k * b->f->stride + slots.first, b->s->before + k * b->s->stride + slots.first,
           (size_t)(slots.last - slots.first) * sizeof *b->f->state);
}

/* The sample for the common acceleration: every `every`-th group. */
typedef struct asked_groups {
  const motion_bound *f;
  const msd_real *state;
  size_t stride;
  int32_t groups, every;
} asked_groups;

/* m/s: the change of velocity since the motion bound began. */
static void find_gained(const asked_groups *a, int32_t slot, double gained[3]) {
  for (size_t axis = 0; axis < 3; axis++)
    gained[axis] = (double)a->state[(axis + 3) * a->stride + (size_t)slot] -
                   (double)a->f->state[(axis + 3) * a->f->stride + (size_t)slot];
}

static void find_mean_gained(const asked_groups *a, double mean[3]) {
  double count = 0, gained[3];
  for (int32_t group = 0; group < a->groups; group += a->every, count += GROUP)
    for (int32_t slot = group * GROUP; slot < (group + 1) * GROUP; slot++) {
      find_gained(a, slot, gained);
      for (size_t axis = 0; axis < 3; axis++)
        mean[axis] += gained[axis];
    }
  for (size_t axis = 0; axis < 3 && count > 0; axis++)
    mean[axis] /= count;
}

/* True if nearly all changes are within half of the mean change. */
static bool is_gained_by_all(const asked_groups *a, const double mean[3]) {
  const double most = 0.25 * (mean[0] * mean[0] + mean[1] * mean[1] + mean[2] * mean[2]);
  int32_t count = 0, lone = 0;
  for (int32_t group = 0; group < a->groups; group += a->every, count += GROUP)
    for (int32_t slot = group * GROUP; slot < (group + 1) * GROUP; slot++) {
      double gained[3], square = 0;
      find_gained(a, slot, gained);
      for (size_t axis = 0; axis < 3; axis++)
        square += (gained[axis] - mean[axis]) * (gained[axis] - mean[axis]);
      lone += !(square < most);
    }
  return lone <= LONE_SHARE * count;
}

void motion_bound_find_bend(const motion_bound *f, const msd_real *state, size_t stride, double dt,
                            double bend[3]) {
  if (!motion_bound_shows(f, dt))
    return;
  const int32_t groups = f->particles / GROUP;
  const asked_groups asked = {f, state, stride, groups, groups / ASKED_GROUPS + 1};
  double mean[3] = {0};
  find_mean_gained(&asked, mean);
  const bool is_shared = groups > 0 && is_gained_by_all(&asked, mean);
  for (size_t axis = 0; axis < 3; axis++)
    bend[axis] = is_shared && isfinite(mean[axis] / f->age) ? mean[axis] / f->age : 0;
}

static void begin(beginning b) {
  const motion_bound_plan *plan = b.plan;
  parallel_run(plan->tasks, int_max(1, plan->threads), begin_share, &b);
  for (size_t axis = 0; axis < 3; axis++)
    b.f->bend[axis] = plan->bend[axis];
  b.f->horizon = plan->horizon;
  b.f->age = 0;
  b.f->holds = true;
}

void motion_bound_begin(motion_bound *f, const motion_bound_substep *s, const motion_bound_plan *plan) {
  begin((beginning){f, s, plan, .watches = true});
}

void motion_bound_begin_unwatched(motion_bound *f, const motion_bound_substep *s,
                                  const motion_bound_plan *plan) {
  begin((beginning){f, s, plan, .watches = false});
}

void motion_bound_follow(motion_bound *f, const motion_bound_substep *s, double least, const uint8_t *marked,
                         uint8_t marks) {
  msd_real *skins = motion_bound_skins(f);
  for (int32_t slot = marks_next(marked, marks, 0, f->particles); slot < f->particles;
       slot = marks_next(marked, marks, slot + 1, f->particles)) {
    for (size_t axis = 0; axis < 3; axis++) {
      msd_real *x = f->state + axis * f->stride + (size_t)slot, *v = x + 3 * f->stride;
      const double bent = f->bend[axis] * f->age;
      *v = (msd_real)((double)s->behind[(axis + 3) * s->stride + (size_t)slot] - bent);
      *x = (msd_real)((double)s->before[axis * s->stride + (size_t)slot] - (double)*v * f->age -
                      motion_bound_shift(f, axis, f->age));
    }
    if (skins[slot] >= MOTION_BOUND_UNWATCHED)
      skins[slot] = (msd_real)least + NARROWEST;
  }
}

bool motion_bound_widen(motion_bound *f, const motion_bound_substep *s, const uint8_t *marked,
                        uint8_t marks) {
  msd_real *skins = motion_bound_skins(f);
  bool enough = true;
  for (int32_t slot = marks_next(marked, marks, 0, f->particles); slot < f->particles;
       slot = marks_next(marked, marks, slot + 1, f->particles)) {
    const double off = sqrt(square_off(f, s->behind, s->stride, slot, f->age + s->dt)),
                 skin = (double)skins[slot];
    skins[slot] = (msd_real)(WIDER * (off <= skin ? skin : off));
    enough = enough && skins[slot] < MOTION_BOUND_UNWATCHED;
  }
  return enough;
}
