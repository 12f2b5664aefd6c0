/* LAMMPS: SCENE.data has the particles and the springs as bonds, SCENE.in what is to be done with them. LAMMPS
   steps by velocity Verlet, as the integrator of that name here. For symplectic Euler its velocities are
   shifted first: with v + h/2 a in the place of v velocity Verlet passes through the same positions, to
   rounding (Hairer, Lubich, Wanner: Geometric Numerical Integration, I.3.1).

   bond_style harmonic has the energy K (r - r0)^2, so K is k/2. Damped springs need bpm/spring, whose force is
   k (r - r0) + gamma r' when nothing is smoothed: it takes r0 from the places at the beginning. */
#include "app/export/formats.h"

#include "app/base/numbers.h"
#include "app/base/write_buffer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* How far a damped spring may be from its rest length to begin with, relative to it: rounding. */
static const double AT_REST = 1e-5;

static bool is_damped(const scene *s) {
  for (int32_t i = 0; i < msd_world_get_spring_count(s->world); i++)
    if (!msd_spring_is_broken(s->world, i) && msd_spring_get_damping(s->world, i) > 0)
      return true;
  return false;
}

static int32_t count_bonds(const scene *s) {
  return msd_world_get_spring_count(s->world) - msd_world_get_counts(s->world).broken;
}

/* --------------------------------------------------------------------------------------- what it has not */

static bool refuse(const scene *s, const char *what, const char *remedy, problem *p) {
  return problem_set(p, "%s: LAMMPS has no %s; %s, or take another --format", s->path, what, remedy);
}

static bool check_world(const scene *s, problem *p) {
  const msd_stats stats = msd_world_get_stats(s->world);
  const msd_integrator integrator = msd_world_get_integrator(s->world);
  if (integrator != MSD_SYMPLECTIC_EULER && integrator != MSD_VELOCITY_VERLET)
    return refuse(s, msd_integrator_name(integrator), "give --integrator velocity_verlet", p);
  if (stats.springs - stats.broken == 0)
    return refuse(s, "use for a scene without springs", "give it some", p);
  if (stats.constraints > 0)
    return refuse(s, "constraints of these types", "leave them out", p);
  if (stats.soft_pins > 0)
    return refuse(s, "soft pins", "pin the particles or leave the soft pins out", p);
  if (stats.rotors > 0)
    return refuse(s, "rotors", "leave them out", p);
  if (stats.colliders > 0 || msd_world_get_collision_mesh_count(s->world) > 0)
    return refuse(s, "contact or wind on surfaces", "leave colliders, contact and wind out", p);
  if (msd_world_get_linear_damping(s->world) > 0)
    return refuse(s, "linear damping", "leave linear_damping out", p);
  if (msd_world_get_clamp_stiffness(s->world))
    return refuse(s, "stiffness clamping", "leave out --clamp-stiffness or give --no-clamp-stiffness", p);
  if (msd_world_get_energy_mode(s->world) > MSD_ENERGY_MONITOR)
    return refuse(s, "bound of numerical energy", "give --energy-mode off", p);
  if (msd_world_get_mass_scaling(s->world) != MSD_MASS_SCALING_NONE)
    return refuse(s, "selective mass scaling", "give --mass-scaling none", p);
  return s->animation.text == NULL || refuse(s, "animation and seams", "leave them out", p);
}

static bool check_spring(const scene *s, int32_t spring, problem *p) {
  const msd_spring_def def = msd_spring_get_def(s->world, spring);
  const msd_damage_def damage = msd_spring_get_damage(s->world, spring);
  if (def.mode != MSD_SPRING_BOTH)
    return refuse(s, "springs that only pull or only push", "leave out one-sided springs and hard limits", p);
  if (def.law != MSD_SPRING_STIFFNESS && def.law != MSD_SPRING_FREQUENCY)
    return refuse(s, "springs by coefficients, whose stiffness follows the substep", "give stiffness in N/m",
                  p);
  if (damage.tear_strain > 0 || damage.yield_strain > 0)
    return refuse(s, "springs that tear or yield as these", "leave tear_strain and yield_strain out", p);
  const double rest = def.rest_length, length = msd_spring_get_length(s->world, spring);
  if (msd_spring_get_damping(s->world, spring) > 0 && !(fabs(length - rest) <= AT_REST * rest))
    return refuse(s, "damped springs that do not begin at their rest length",
                  "let them begin there or leave the damping out", p);
  return true;
}

/* Bonds of one style: once some are damped, all rest as they are placed. */
static bool check_rest(const scene *s, problem *p) {
  for (int32_t i = 0; is_damped(s) && i < msd_world_get_spring_count(s->world); i++) {
    const double rest = msd_spring_get_def(s->world, i).rest_length,
                 length = msd_spring_get_length(s->world, i);
    if (!msd_spring_is_broken(s->world, i) && !(fabs(length - rest) <= AT_REST * rest))
      return refuse(s, "springs that do not begin at their rest length beside damped ones",
                    "let them begin there or leave the damping out", p);
  }
  return true;
}

bool export_lammps_check(const scene *s, problem *p) {
  if (strpbrk(s->name, "\"\n") != NULL)
    return problem_set(p, "%s: LAMMPS cannot say this name; rename the file", s->path);
  if (!check_world(s, p))
    return false;
  for (int32_t i = 0; i < msd_world_get_spring_count(s->world); i++)
    if (!msd_spring_is_broken(s->world, i) && !check_spring(s, i, p))
      return false;
  for (int32_t i = 0; i < msd_world_get_particle_count(s->world); i++) {
    const msd_vec3 v = msd_particle_get_velocity(s->world, i);
    if (msd_particle_is_pinned(s->world, i) && (v.x != 0 || v.y != 0 || v.z != 0))
      return refuse(s, "pins that travel", "let them stand", p);
  }
  return check_rest(s, p);
}

/* -------------------------------------------------------------------------------------------- the state */

typedef struct box {
  double least[3], most[3];
} box;

static box box_of(msd_view positions) {
  box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int32_t i = 0; i < positions.count; i++) {
    const msd_vec3 at = msd_view_at(positions, i);
    const double x[3] = {at.x, at.y, at.z};
    for (int c = 0; c < 3; c++) {
      b.least[c] = fmin(b.least[c], x[c]);
      b.most[c] = fmax(b.most[c], x[c]);
    }
  }
  return b;
}

static void put_header(FILE *stream, const scene *s, int32_t bonds) {
  const box b = box_of(msd_world_get_positions(s->world));
  fprintf(stream, "LAMMPS data of an msd scene, units si, atom_style hybrid bond sphere, msd %s\n\n",
          msd_version());
  fprintf(stream, "%ld atoms\n%ld bonds\n1 atom types\n%ld bond types\n\n",
          (long)msd_world_get_particle_count(s->world), (long)bonds, (long)bonds);
  for (int c = 0; c < 3; c++) {
    const double room = 0.01 * (b.most[c] - b.least[c]) + 0.01;
    fprintf(stream, "%.17g %.17g %clo %chi\n", b.least[c] - room, b.most[c] + room, 'x' + c, 'x' + c);
  }
}

enum { ROW_MAX = 8 * NUMBER_MAX };

static char *put_number(char *to, double value) {
  *to++ = ' ';
  return number_put_double(to, value);
}

static char *put_vector(char *to, msd_vec3 v) {
  return put_number(put_number(put_number(to, (double)v.x), (double)v.y), (double)v.z);
}

/* A sphere without a diameter has its mass where others have their density. */
static void put_atoms(FILE *stream, const scene *s) {
  fputs("\nAtoms # hybrid bond sphere\n\n", stream);
  write_buffer out;
  write_buffer_begin(&out, stream);
  for (int32_t i = 0; i < msd_world_get_particle_count(s->world); i++) {
    char *to = number_put_count(write_buffer_room(&out, ROW_MAX), i + 1L);
    to = put_vector(write_buffer_text(to, " 1"), msd_particle_get_position(s->world, i));
    to = write_buffer_text(to, msd_particle_is_pinned(s->world, i) ? " 2 0 " : " 1 0 ");
    to = number_put_double(to, (double)msd_particle_get_mass(s->world, i));
    write_buffer_take(&out, write_buffer_text(to, "\n"));
  }
  write_buffer_flush(&out);
  fputs("\nVelocities # hybrid bond sphere\n\n", stream);
  for (int32_t i = 0; i < msd_world_get_particle_count(s->world); i++) {
    char *to = number_put_count(write_buffer_room(&out, ROW_MAX), i + 1L);
    to = put_vector(to, msd_particle_get_velocity(s->world, i));
    write_buffer_take(&out, write_buffer_text(to, " 0 0 0\n"));
  }
  write_buffer_flush(&out);
}

/* A type for each bond: no two springs rest at quite the same length. */
static void put_bonds(FILE *stream, const scene *s) {
  const bool damped = is_damped(s);
  int64_t bond = 0;
  write_buffer out;
  write_buffer_begin(&out, stream);
  fprintf(stream, "\nBond Coeffs # %s\n\n", damped ? "bpm/spring" : "harmonic");
  for (int32_t i = 0; i < msd_world_get_spring_count(s->world); i++) {
    const double k = msd_spring_get_stiffness(s->world, i);
    if (msd_spring_is_broken(s->world, i))
      continue;
    char *to = number_put_count(write_buffer_room(&out, ROW_MAX), ++bond);
    if (damped)
      to =
          put_number(write_buffer_text(put_number(to, k), " 1"), (double)msd_spring_get_damping(s->world, i));
    else
      to = put_number(put_number(to, k / 2), (double)msd_spring_get_def(s->world, i).rest_length);
    write_buffer_take(&out, write_buffer_text(to, "\n"));
  }
  write_buffer_flush(&out);
  bond = 0;
  fputs("\nBonds\n\n", stream);
  for (int32_t i = 0; i < msd_world_get_spring_count(s->world); i++) {
    const msd_spring_def def = msd_spring_get_def(s->world, i);
    if (msd_spring_is_broken(s->world, i))
      continue;
    const int64_t numbers[4] = {bond + 1, bond + 1, def.a + 1L, def.b + 1L};
    bond++;
    char *to = write_buffer_room(&out, ROW_MAX);
    for (int n = 0; n < 4; n++)
      to = number_put_count(write_buffer_text(to, n > 0 ? " " : ""), numbers[n]);
    write_buffer_take(&out, write_buffer_text(to, "\n"));
  }
  write_buffer_flush(&out);
}

void export_lammps_data(FILE *stream, const scene *s) {
  put_header(stream, s, count_bonds(s));
  put_atoms(stream, s);
  put_bonds(stream, s);
}

/* ------------------------------------------------------------------------------------------- the script */

static double longest(const scene *s) {
  double length = 0;
  for (int32_t i = 0; i < msd_world_get_spring_count(s->world); i++)
    if (!msd_spring_is_broken(s->world, i))
      length = fmax(length, msd_spring_get_length(s->world, i));
  return length;
}

static void put_forces(FILE *stream, const scene *s) {
  const msd_vec3 g = msd_world_get_gravity(s->world);
  const double size = sqrt((double)g.x * g.x + (double)g.y * g.y + (double)g.z * g.z);
  if (size > 0)
    fprintf(stream, "fix gravity mobile gravity %.17g vector %.17g %.17g %.17g\n", size, (double)g.x,
            (double)g.y, (double)g.z);
  fputs("fix motion mobile nve\n", stream);
}

/* Half a step on, by the forces at the beginning. */
static void put_shift(FILE *stream) {
  fputs("\n# Symplectic Euler passes through the places of velocity Verlet whose velocities are half a step "
        "on.\n"
        "run 0\n",
        stream);
  for (char c = 'x'; c <= 'z'; c++)
    fprintf(stream, "variable shifted_%c atom v%c+0.5*dt*f%c/mass\n", c, c, c);
  fputs("velocity mobile set v_shifted_x v_shifted_y v_shifted_z\n", stream);
}

void export_lammps_script(FILE *stream, const export_script *script) {
  const scene *s = script->scene;
  fprintf(stream,
          "# LAMMPS: lmp -in %s.in, in this folder; -var frames N for fewer or more. Written by msd %s.\n"
          "variable frames index %" PRId64 "\nvariable steps equal %" PRId64
          "\nvariable all equal v_frames*v_steps\n"
          "units si\natom_style hybrid bond sphere\nnewton on off\nboundary s s s\n",
          s->name, msd_version(), script->frames, script->steps);
  fprintf(stream, "pair_style none\nbond_style %s\ncomm_modify cutoff %.9g\n",
          is_damped(s) ? "bpm/spring smooth no break no  # the package BPM, of March 2023 or later"
                       : "harmonic",
          2 * longest(s) + 0.01);
  fprintf(stream, "read_data \"%s.data\"\nneighbor %.9g bin\n\n", s->name, 0.1 * longest(s) + 1e-4);
  fputs("group mobile molecule 1\n", stream);
  put_forces(stream, s);
  fprintf(stream, "timestep %.17g\nthermo_modify lost error\n", script->step);
  if (msd_world_get_integrator(s->world) == MSD_SYMPLECTIC_EULER)
    put_shift(stream);
  fprintf(stream,
          "\nreset_timestep 0\ndump frames all custom ${steps} \"%s.lammpstrj\" id x y z\n"
          "dump_modify frames sort id format float %%.17g\nrun ${all}\n",
          s->name);
}
