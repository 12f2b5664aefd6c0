/* Scene files: JSON in, a world out.

   A scene is a world with names: which body a particle belongs to, how its surface is drawn, and the times
   that the file asks for. docs/reference/scene describes the format. */
#ifndef MSD_SCENES_LOADER_SCENE_H
#define MSD_SCENES_LOADER_SCENE_H

#include "scenes/input/scene_error.h"
#include "scenes/input/scene_warnings.h"
#include "scenes/loader/animation.h"
#include "scenes/loader/load_ranks.h"
#include "scenes/meshes/corner_attributes.h"
#include "scenes/meshes/embedding.h"
#include "scenes/meshes/vertex_groups.h"
#include "scenes/meshes/welding.h"

#include <msd/msd.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A kind of springs of one body: "stretch", "shear", "bend", "stretch", "springs" or "tethers"; and what
   backs springs of the others: "stiffening" and "strain limit". */
typedef struct scene_group {
  const char *name;
  msd_range springs;
} scene_group;

/* A kind of constraints of one body: "fiber", "bend", "volume", "pressure", or "constraints". */
typedef struct scene_constraint_group {
  const char *name;
  msd_range constraints;
} scene_constraint_group;

/* Whether they lie on other springs, or fan out from pins: no part of the shape. */
static inline bool scene_group_is_beside(const scene_group *group) {
  return strcmp(group->name, "tethers") == 0 || strcmp(group->name, "stiffening") == 0 ||
         strcmp(group->name, "strain limit") == 0;
}

enum { SCENE_GROUPS_MAX = 6, SCENE_CONSTRAINT_GROUPS_MAX = 3 };

/* The rotors of a body, and where they are drawn: as discs at these positions across the axis. They turn
   about it counterclockwise seen from its tip; nothing else about them depends on where they are. */
typedef struct scene_rotors {
  /* Of the world; springs are its torsion springs. */
  msd_range rotors, springs;

  /* m; one for each rotor, NULL when there are none, as radii. */
  msd_vec3 *positions;
  double *radii;

  /* A unit vector. */
  msd_vec3 axis;
} scene_rotors;

/* How a body touches others; see msd_collision_mesh_def. */
typedef struct scene_surface {
  msd_real thickness, friction;
  bool self_collision;

  /* Among the surfaces of the world; -1: it has none. */
  int32_t number;
} scene_surface;

/* The mesh of a file that a simpler one stands for: it is drawn and exported in the place of the body. */
typedef struct scene_skin {
  /* Where each vertex is, by particles of the world; NULL: the body is what is shown. */
  embedded_point *points;
  int32_t count;

  /* Among all points that are shown (render_points.h). */
  int32_t first;

  /* Three points each, as shown. */
  int32_t *triangles;
  int32_t triangle_count;

  /* What the mesh was simplified to: substeps of a frame that no vertex was to ask more than. */
  int32_t substeps;

  /* m: the furthest that a vertex lies from the one that it was merged into; and what is left of the area. */
  double furthest, area_kept;
} scene_skin;

/* The triangles of a mesh of which each process has a part. */
typedef struct scene_faces {
  /* Those whose least corner is this process's own: 3 particle indices of the world each; and which of the
     triangles of the whole each is, ascending. */
  int32_t *triangles, *numbers;
  int32_t count;

  /* How many the file has, where no face repeats another or names a vertex twice. */
  int64_t whole;

  /* Whether corners in the file have texture coordinates or normals, which are not kept. */
  bool has_attributes;
} scene_faces;

typedef struct scene_body {
  /* Unique in the scene; "cloth 2" style when the file gives none. */
  char *name;

  /* "particles", "rope", "cloth", "mesh", "balloon", "block", "tetmesh", "rotors"; "collider" */
  const char *kind;

  /* A mesh that others touch and nothing moves: all of its particles are pinned, and weigh nothing. These come
     behind all other bodies. */
  bool is_collider;

  /* Whether its shape is that of a file. */
  bool is_from_file;

  msd_range particles;

  /* Of a scene in parts, whose ranges are of what this process has: how many particles it has in all processes,
     and how many of these come before `particles`. */
  bool is_part;
  int32_t whole, skipped;

  /* Of a mesh in parts, where they are wanted. */
  bool wants_faces;
  scene_faces faces;

  msd_range springs;
  scene_group groups[SCENE_GROUPS_MAX];
  int group_count;
  msd_range constraints;
  scene_constraint_group constraint_groups[SCENE_CONSTRAINT_GROUPS_MAX];
  int constraint_group_count;
  msd_range soft_pins;
  scene_rotors rotors;

  /* Of a cloth; 0 otherwise. */
  int32_t columns, rows;

  /* Of a block; 0 otherwise. */
  int32_t cells[3];

  /* The surface as loaded: 3 particle indices of the world each; NULL for ropes and points. */
  int32_t *triangles;
  int32_t triangle_count;

  /* The same of ropes and other lines: 2 particle indices each. */
  int32_t *segments;
  int32_t segment_count;

  /* Of a mesh whose lines are sewn: 2 particle indices of the world each. */
  int32_t *sewn;
  int32_t sewn_count;

  scene_surface surface;

  /* What it is to be made of, and what it has become; without a cookie where the file gives no material. */
  msd_material asked, material;

  /* In the place of the triangles where those are fewer than the mesh file has. */
  scene_skin skin;

  /* Texture coordinates and normals of the corners of the triangles that are shown, where a mesh file has
     any. */
  corner_attributes attributes;

  /* Of the vertices of a mesh file, from 0 and as they are counted without gaps, where it has any. */
  vertex_groups named_vertices;

  /* The part of its mass that may be moved to particles that ask for more substeps; 0: none. */
  double mass_redistribution;

  /* What of the vertices of its mesh file has become one. */
  weld_result welded;

  /* Of a mesh file in which not every vertex is a particle of its own, NULL otherwise: the particle index of
     the world of each vertex of the file, since vertices that are welded are one particle; -1: left out. */
  int32_t *particle_of_vertex;
  int32_t vertex_count;

  /* Of a body that is read from a file of its own; NULL otherwise. */
  char *file;
} scene_body;

typedef struct scene_collider {
  /* Unique among them; "sphere 2" style when the file gives none. */
  char *name;
} scene_collider;

typedef struct scene {
  /* Of the file, without folder and ending. */
  char *name;
  char *path;

  /* Never NULL, "" when the file has none. */
  char *title, *description;

  /* m: the point of the file that is the origin of the world. All positions in the world, and so in files and
     results, are relative to it. */
  double origin[3];

  msd_world *world;
  scene_body *bodies;
  int body_count;

  /* Springs between bodies: joints, and behind them those of seams. */
  msd_range joints;

  /* What of the mass of bodies has been moved, where one of them lets it, for the time step below. */
  msd_mass_redistribution mass_redistribution;
  bool has_mass_redistribution;

  /* In the order of the world's. */
  scene_collider *colliders;
  int collider_count;

  /* What moves by itself, and what happens at its time; scene_step plays it. */
  scene_animation animation;

  /* s of a frame; default 1/60. */
  double frame_time;

  /* Of a frame, as msd_world_step takes them: 0 for the fewest that are certified. Whether the file leaves
     them open, as by default: then they are chosen for the time step above. */
  int substeps;
  bool is_auto;

  /* s; default 5. */
  double duration;

  /* Whether it begins in the shape of rest that is downhill from where its bodies are placed. */
  bool starts_at_rest;

  /* What is odd about the file, to be shown to whoever loads it. */
  scene_warnings warnings;

  /* The processes of which each has a part; NULL: it is whole. And what lies between them, and whether parts of
     meshes keep their faces. */
  const msd_ranks *ranks;
  load_ranks loading;
  bool wants_faces;
} scene;

/* The particles of a body in all processes. */
static inline int32_t scene_body_whole(const scene_body *body) {
  return body->is_part ? body->whole : body->particles.count;
}

/* Those of all bodies, in all processes. */
static inline int32_t scene_particles(const scene *s) {
  return s->ranks ? msd_world_get_subdomain(s->world).particles : msd_world_get_particle_count(s->world);
}

/* Whether one of the bodies is a collider. */
static inline bool scene_has_mesh_collider(const scene *s) {
  return s->body_count > 0 && s->bodies[s->body_count - 1].is_collider;
}

/* The triangles and segments of a body as they now are: as many as it has, with other corners where particles
   have been split. Valid until the next step of the world. */
const int32_t *scene_triangles(const scene *s, const scene_body *body);
const int32_t *scene_segments(const scene *s, const scene_body *body);

/* Loads a scene file, or a scene that ships by its name ("curtain"). Those are in the folder that the
   environment variable MSD_SCENES names, else in the installed one, else in the one of the source code. NULL
   with *error filled when it cannot: then nothing is left behind. */
scene *scene_load(const char *name_or_path, scene_error *error);

/* The same by several processes together, of which each gets a part of the particles and none has the whole:
   see msd_world_set_subdomain. `ranks` stays until the scene is freed. Such scenes have ropes, cloths, blocks
   and meshes alone; of surfaces they keep the faces of meshes, and only if these are wanted, and automatic
   substeps are left at 0, which are then right but where scene_has_max_stable. Where one cannot load its part
   none does, and all have its error. */
scene *scene_load_part(const char *name_or_path, const msd_ranks *ranks, bool wants_faces,
                       scene_error *error);

/* One frame: what the animation has for it at the time of the world, then msd_world_step, of which the result
   and its message are. Events happen at the beginning of the frame in which their time lies, pins are led
   through it in straight lines or on arcs (msd_turn) to where they are at its end. */
msd_result scene_step(const scene *s, double frame_time, int substeps);

/* Length/rest - 1 that scene_choose_substeps keeps what hangs straight to. What hangs from corners stretches up
   to ten times as much at its worst spring, which then are a few per cent. */
#define SCENE_STRETCH 0.005

/* Whether a spring is to be the stiffest that its substep allows; of a part, one of those that it has. */
bool scene_has_max_stable(const scene *s);

/* s: of a frame of the scene, whose substeps are certified where they are automatic. */
double scene_substep(const scene *s);

/* The substeps of a frame of another length, with the settings that the world now has: those of the file,
   else 0, or more where springs are the stiffest that their substep allows and would stretch under their
   weight. At most 1000. */
int scene_choose_substeps(const scene *s, double frame_time);

/* NULL is allowed. */
void scene_free(scene *s);

/* m: how far the particles of a body are apart along each axis, as they now are; 0 without any. Of a scene in
   parts all that there is of the body; all processes have to ask. */
void scene_body_size(const scene *s, const scene_body *body, double size[3]);

/* How a person finds a particle or spring: `cloth "curtain" row 3 column 17`, `rope "r" particle 4`, `cloth
   "curtain" stretch spring, row 3 column 17 to row 3 column 18`. Writes at most `size` bytes, always
   ended. */
void scene_describe_particle(const scene *s, int32_t particle, char *text, size_t size);
void scene_describe_spring(const scene *s, int32_t spring, char *text, size_t size);

/* Particles that springs and constraints join, however far away, are one piece. */
typedef struct scene_pieces {
  int32_t count;

  /* Those of which no particle is pinned or anchored, and the first particle of the first of them; -1. */
  int32_t loose, loose_particle;
} scene_pieces;

/* False when out of memory. */
bool scene_count_pieces(const scene *s, scene_pieces *out);

/* The scenes that ship, sorted by name: the files of their folder that have a title and a description. */
typedef struct scene_listing {
  char *name, *path, *title, *description;
} scene_listing;

/* *count entries, freed by scene_list_free; NULL with *error filled when the folder cannot be read. */
scene_listing *scene_list(int *count, scene_error *error);
void scene_list_free(scene_listing *list, int count);

#endif
