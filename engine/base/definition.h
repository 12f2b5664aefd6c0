/* The cookies of the public definitions: only a definition from its msd_default_..._def function has the
   right one. */
#ifndef MSD_ENGINE_BASE_DEFINITION_H
#define MSD_ENGINE_BASE_DEFINITION_H

/* Each with the suffix of that function's name. */
#define DEFINITIONS(X)                                                                                       \
  X(MSD_WORLD_COOKIE, 0x6d736401, "world_def")                                                               \
  X(MSD_PARTICLE_COOKIE, 0x6d736402, "particle_def")                                                         \
  X(MSD_SPRING_COOKIE, 0x6d736403, "spring_def")                                                             \
  X(MSD_ROPE_COOKIE, 0x6d736404, "rope_def")                                                                 \
  X(MSD_CLOTH_COOKIE, 0x6d736405, "cloth_def")                                                               \
  X(MSD_MESH_COOKIE, 0x6d736406, "mesh_def")                                                                 \
  X(MSD_BLOCK_COOKIE, 0x6d736407, "block_def")                                                               \
  X(MSD_STRETCH_TARGET_COOKIE, 0x6d736408, "stretch_target")                                                 \
  X(MSD_CONSTRAINT_COOKIE, 0x6d736409, "constraint_def")                                                     \
  X(MSD_SOFT_PIN_COOKIE, 0x6d73640a, "soft_pin_def")                                                         \
  X(MSD_ROTOR_COOKIE, 0x6d73640b, "rotor_def")                                                               \
  X(MSD_TORSION_SPRING_COOKIE, 0x6d73640c, "torsion_spring_def")                                             \
  X(MSD_TETMESH_COOKIE, 0x6d73640d, "tetmesh_def")                                                           \
  X(MSD_TETHERS_COOKIE, 0x6d73640e, "tethers_def")                                                           \
  X(MSD_COLLIDER_COOKIE, 0x6d73640f, "collider_def")                                                         \
  X(MSD_CONTACT_COOKIE, 0x6d736410, "contact_settings")                                                      \
  X(MSD_INTERSECTION_COOKIE, 0x6d736411, "intersection_def")                                                 \
  X(MSD_SURFACE_COOKIE, 0x6d736412, "collision_mesh_def")                                                    \
  X(MSD_WIND_COOKIE, 0x6d736413, "wind_def")                                                                 \
  X(MSD_MATERIAL_COOKIE, 0x6d736414, "material")                                                             \
  X(MSD_DAMAGE_COOKIE, 0x6d736415, "damage_def")                                                             \
  X(MSD_REST_COOKIE, 0x6d736416, "equilibrium_def")                                                          \
  X(MSD_SLEEP_COOKIE, 0x6d736417, "sleep_def")                                                               \
  X(MSD_QUERY_COOKIE, 0x6d736418, "query_def")

#define DEFINITION_COOKIE(name, cookie, text) name = (cookie),
typedef enum definition_cookie { DEFINITIONS(DEFINITION_COOKIE) } definition_cookie;
#undef DEFINITION_COOKIE

#endif
