/* Checks of a scene before its first substep: mistakes that no error message reports, since the scene can run
   with them. */
#ifndef MSD_APP_REPORT_SCENE_CHECKS_H
#define MSD_APP_REPORT_SCENE_CHECKS_H

#include "app/report/warnings.h"
#include "scenes/loader/scene.h"

/* Warns of bodies that fall freely since nothing in the scene is attached and there are no colliders. The
   loader warns of unattached components beside attached ones. */
void scene_check_free_fall(const scene *s, warning_list *w);

/* Warns of collision meshes that intersect, by body, with the number of pairs. Takes as long as
   msd_world_find_intersections; without memory it finds none. */
void scene_check_intersections(const scene *s, warning_list *w);

/* Warns of bodies with triangles or edges of their collision mesh in boxes, by body and box. */
void scene_check_boxes(const scene *s, warning_list *w);

/* Warns of edges that three or more triangles share, in bodies with self-collision. */
void scene_check_manifold(const scene *s, warning_list *w);

/* All of these. */
void scene_check(const scene *s, warning_list *w);

#endif
