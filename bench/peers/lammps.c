/* LAMMPS (https://www.lammps.org), double precision, one process, as Debian compiles it.

   Uses atom_style bond and bond_style harmonic: every spring is a bond with its rest length and the energy K (r
   - r0)^2, where K is half the stiffness. Harmonic bonds in LAMMPS have no damping, so the network is undamped.
   The integrator is velocity Verlet (fix nve) with one evaluation of the forces a step; gravity is fix gravity,
   and pinned atoms have no integrator. There is no pair style. Besides the bonds, every step checks whether an
   atom has moved so far that the neighbor lists must be rebuilt (neigh_modify check yes, with a skin of a tenth
   of the size), which rarely happens in these networks. */
#include "bench/peers/peer.h"

#include <lammps/library.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct engine {
  void *lammps;
  const peer_network *network;
} engine;

static void command(void *lammps, const char *format, ...) {
  char text[512];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  lammps_command(lammps, text);
}

/* Springs with the same stiffness and, to a few parts in a million, the same rest length share a bond type. */
typedef struct bond_types {
  int32_t *of_spring;
  /* A spring of each type. */
  int32_t *example;
  int32_t count;
} bond_types;

typedef struct spring_key {
  double rest, stiffness;
  int32_t spring;
} spring_key;

static double rounded(double value) {
  const double scale = value > 0 ? pow(10, 5 - floor(log10(value))) : 1;
  return round(value * scale) / scale;
}

static int compare_keys(const void *a, const void *b) {
  const spring_key *x = a, *y = b;
  if (x->rest != y->rest)
    return x->rest > y->rest ? 1 : -1;
  if (x->stiffness != y->stiffness)
    return x->stiffness > y->stiffness ? 1 : -1;
  return (x->spring > y->spring) - (x->spring < y->spring);
}

static bool find_types(bond_types *t, const peer_network *n) {
  const size_t springs = (size_t)n->header.springs;
  spring_key *keys = malloc((springs + 1) * sizeof *keys);
  *t = (bond_types){malloc((springs + 1) * sizeof(int32_t)), malloc((springs + 1) * sizeof(int32_t)), 0};
  const bool done = keys && t->of_spring && t->example;
  if (done) {
    for (size_t s = 0; s < springs; s++)
      keys[s] = (spring_key){rounded(n->springs[s].rest), n->springs[s].stiffness, (int32_t)s};
    qsort(keys, springs, sizeof *keys, compare_keys);
    for (size_t k = 0; k < springs; k++) {
      if (k == 0 || keys[k].rest != keys[k - 1].rest || keys[k].stiffness != keys[k - 1].stiffness)
        t->example[t->count++] = keys[k].spring;
      t->of_spring[keys[k].spring] = t->count;
    }
  }
  free(keys);
  return done;
}

/* A cube around the network. */
static void find_box(const peer_network *n, double *least, double *size) {
  *least = HUGE_VAL;
  double most = -HUGE_VAL;
  for (int32_t i = 0; i < n->header.particles; i++)
    for (int c = 0; c < 3; c++) {
      *least = fmin(*least, n->particles[i].position[c]);
      most = fmax(most, n->particles[i].position[c]);
    }
  *size = fmax(most - *least, 1e-3);
}

static int32_t most_bonds(const peer_network *n) {
  int32_t *bonds = calloc((size_t)n->header.particles, sizeof *bonds), most = 0;
  for (int32_t s = 0; bonds && s < n->header.springs; s++) {
    const int32_t at[2] = {++bonds[n->springs[s].a], ++bonds[n->springs[s].b]};
    for (int end = 0; end < 2; end++)
      most = at[end] > most ? at[end] : most;
  }
  free(bonds);
  return most;
}

/* Writes the format of read_data. Atoms of type 2 are pinned. */
static bool write_data(FILE *file, const peer_network *n, const bond_types *types) {
  double least, size;
  find_box(n, &least, &size);
  fprintf(file, "network\n\n%d atoms\n%d bonds\n2 atom types\n%d bond types\n%d extra bond per atom\n\n",
          n->header.particles, n->header.springs, types->count, most_bonds(n));
  const char *const axes[3] = {"x", "y", "z"};
  for (int c = 0; c < 3; c++)
    fprintf(file, "%.17g %.17g %slo %shi\n", least - size, least + 2 * size, axes[c], axes[c]);
  /* All particles of the benchmark's networks have the same mass. */
  fprintf(file, "\nMasses\n\n1 %.17g\n2 %.17g\n\nBond Coeffs\n\n", n->particles[0].mass,
          n->particles[0].mass);
  for (int32_t t = 0; t < types->count; t++) {
    const peer_spring *s = &n->springs[types->example[t]];
    fprintf(file, "%d %.17g %.17g\n", t + 1, s->stiffness / 2, s->rest);
  }
  fprintf(file, "\nAtoms\n\n");
  for (int32_t i = 0; i < n->header.particles; i++) {
    const peer_particle *p = &n->particles[i];
    fprintf(file, "%d 1 %d %.17g %.17g %.17g\n", i + 1, p->pinned ? 2 : 1, p->position[0], p->position[1],
            p->position[2]);
  }
  fprintf(file, "\nVelocities\n\n");
  for (int32_t i = 0; i < n->header.particles; i++) {
    const double *v = n->particles[i].velocity;
    fprintf(file, "%d %.17g %.17g %.17g\n", i + 1, v[0], v[1], v[2]);
  }
  fprintf(file, "\nBonds\n\n");
  for (int32_t s = 0; s < n->header.springs; s++)
    fprintf(file, "%d %d %d %d\n", s + 1, types->of_spring[s], n->springs[s].a + 1, n->springs[s].b + 1);
  return fflush(file) == 0 && !ferror(file);
}

/* LAMMPS reads networks only from files; the temporary file is removed afterwards. */
static bool read_network(void *lammps, const peer_network *n) {
  char path[] = "/tmp/msd_peer_XXXXXX";
  const int descriptor = mkstemp(path);
  FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
  bond_types types = {0};
  const bool written = file && find_types(&types, n) && write_data(file, n, &types);
  free(types.of_spring);
  free(types.example);
  if (written)
    command(lammps, "read_data %s", path);
  else
    fprintf(stderr, "a file in /tmp cannot be written\n");
  if (file)
    fclose(file);
  if (descriptor >= 0)
    unlink(path);
  return written;
}

static void step(void *data, int steps) {
  engine *e = data;
  command(e->lammps, "run %d pre no post no", steps);
}

static void positions(void *data, double *xyz) {
  engine *e = data;
  lammps_gather_atoms(e->lammps, "x", 1, 3, xyz);
}

int main(void) {
  peer_network network;
  if (!peer_read(&network))
    return 1;
  char *arguments[] = {"lammps", "-screen", "none", "-log", "none"};
  engine e = {lammps_open_no_mpi(5, arguments, NULL), &network};
  void *lammps = e.lammps;
  int status = 1;
  double least, size;
  find_box(&network, &least, &size);
  command(lammps, "units si");
  command(lammps, "atom_style bond");
  command(lammps, "boundary s s s");
  command(lammps, "bond_style harmonic");
  command(lammps, "special_bonds lj/coul 1 1 1");
  if (read_network(lammps, &network)) {
    const double *g = network.header.gravity, down = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    command(lammps, "comm_modify cutoff %.17g", size / 4);
    command(lammps, "neighbor %.17g bin", size / 10);
    command(lammps, "neigh_modify delay 0 every 1 check yes");
    command(lammps, "group moving type 1");
    command(lammps, "fix integrate moving nve");
    if (down > 0)
      command(lammps, "fix pull moving gravity %.17g vector %.17g %.17g %.17g", down, g[0], g[1], g[2]);
    command(lammps, "thermo 1000000000");
    command(lammps, "timestep %.17g", network.header.time_step);
    command(lammps, "run 0 post no");
    const peer_engine functions = {&e, step, positions};
    status = peer_run(&network, &functions);
  }
  lammps_close(lammps);
  peer_free(&network);
  return status;
}
