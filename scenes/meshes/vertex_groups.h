/* Named groups of vertices, as a file gives them to faces: a group has the vertices of its faces. */
#ifndef MSD_SCENES_MESHES_VERTEX_GROUPS_H
#define MSD_SCENES_MESHES_VERTEX_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A face can be in a group of each kind at once: "o" and "g" lines of OBJ go on beside each other. */
typedef enum group_kind { GROUP_OBJECT, GROUP_NAMED, GROUP_KINDS } group_kind;

/* A run of faces. Several may have one name; all of them are the group. When the file has been read they are
   sorted by name and place, and those of one name have no corner in common. */
typedef struct vertex_group {
  char *name;
  group_kind kind;

  /* Among the corners of the faces; -1: it goes on. */
  int32_t first, end;
} vertex_group;

typedef struct vertex_groups {
  vertex_group *items;
  int32_t count, capacity;

  /* Of each kind, the item from which on some are open. */
  int32_t open_from[GROUP_KINDS];

  /* The vertex of each corner, when the file has been read; -1: it is left out. NULL: there are no groups. */
  int32_t *vertices;
  int32_t vertex_count;
} vertex_groups;

void vertex_groups_free(vertex_groups *groups);

/* Ends the groups of a kind that go on; `corner` is the next corner of the file. */
void vertex_groups_close(vertex_groups *groups, group_kind kind, int32_t corner);

/* Begins one, beside those of its kind that go on. False when out of memory. */
bool vertex_groups_open(vertex_groups *groups, group_kind kind, const char *name, size_t length,
                        int32_t corner);

/* Adds one whose faces are all there: corners first to end - 1. False when out of memory. */
bool vertex_groups_add(vertex_groups *groups, group_kind kind, const char *name, size_t length, int32_t first,
                       int32_t end);

/* Ends all, leaves out those without faces, joins those of one name that overlap, and keeps the vertices of the
   corners of the file. False when out of memory. */
bool vertex_groups_finish(vertex_groups *groups, const int32_t *corners, int32_t corner_count);

/* Vertex v is now vertex_of[v]. */
void vertex_groups_renumber(vertex_groups *groups, const int32_t *vertex_of);

/* The runs of that name are items[first] to items[end - 1]; none: false. */
bool vertex_groups_find(const vertex_groups *groups, const char *name, int32_t *first, int32_t *end);

/* Sets marks[v] for each vertex v of the groups of that name; false when there is none. */
bool vertex_groups_mark(const vertex_groups *groups, const char *name, bool *marks);

enum { GROUP_REMEDY_MAX = 512 };

/* What to write instead of a name that no group has: "did you mean ...?", or the names that there are. */
void vertex_groups_suggest(const vertex_groups *groups, const char *name, char text[GROUP_REMEDY_MAX]);

#endif
