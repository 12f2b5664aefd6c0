/* Mesh files made from text, and what is expected of the meshes in them. */
#ifndef MSD_TESTS_MESH_TEXT_H
#define MSD_TESTS_MESH_TEXT_H

#include "scenes/meshes/mesh_file.h"

/* Writes the file and reads it; the test ends when it cannot be read. Warnings may be NULL. */
mesh_data read_mesh_warned(const char *name, const char *text, scene_warnings *warnings);

/* The same of a file that must give no reason for a warning. */
mesh_data read_mesh(const char *name, const char *text);

bool has_vertex(const mesh_data *mesh, int32_t vertex, double x, double y, double z);
void expect_triangle(const mesh_data *mesh, int32_t triangle, int32_t a, int32_t b, int32_t c);

/* Expects that a file is refused with one line that holds the place and the remedy. */
void expect_mesh_refused(const char *file, const char *place, const char *remedy);

/* Expects that the file, cut or changed at random, is either read whole or refused with one line. */
void expect_survival(const char *name, const char *bytes, size_t size, uint32_t seed);

#endif
