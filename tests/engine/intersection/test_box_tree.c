/* Overlapping boxes, against all pairs. */
#include "tests/support/networks.h"

#include "engine/intersection/box_tree.h"

#include <float.h>

enum { BOXES_MAX = 1100 };

static const msd_real LARGEST = sizeof(msd_real) == 8 ? (msd_real)DBL_MAX : (msd_real)FLT_MAX;

static memory plenty(void) {
  return (memory){.allocator = memory_default_allocator(), .limit = SIZE_MAX};
}

static box random_box(generator *random, msd_real size) {
  const msd_vec3 at = random_vector(random, 1), sides = random_vector(random, size);
  const msd_real low[3] = {at.x, at.y, at.z}, side[3] = {sides.x, sides.y, sides.z};
  box b;
  for (int k = 0; k < 3; k++) {
    b.low[k] = low[k];
    b.high[k] = low[k] + (side[k] < 0 ? -side[k] : side[k]);
  }
  return b;
}

/* How often each pair of items was told of. */
typedef struct told_pairs {
  const box_tree *tree;
  unsigned char times[BOXES_MAX][BOXES_MAX];
} told_pairs;

static void note_pairs(void *context, int32_t leaf, int32_t other) {
  told_pairs *told = context;
  const uint32_t bits = box_tree_overlaps(told->tree, leaf, other);
  for (int i = 0; i < BOX_TREE_ITEMS; i++)
    for (int k = 0; k < BOX_TREE_ITEMS; k++)
      if (bits >> (BOX_TREE_ITEMS * i + k) & 1) {
        const int32_t a = told->tree->leaf[leaf].item[i], b = told->tree->leaf[other].item[k];
        cr_assert(a >= 0 && b >= 0 && a != b);
        told->times[a < b ? a : b][a < b ? b : a]++;
      }
}

static void assert_pairs(const box_tree *tree, const box *boxes, int32_t count) {
  static told_pairs told;
  told = (told_pairs){.tree = tree};
  for (int32_t part = 0; part < box_tree_part_count(tree); part++)
    box_tree_pair(tree, part, note_pairs, &told);
  for (int32_t a = 0; a < count; a++)
    for (int32_t b = a + 1; b < count; b++)
      cr_assert_eq(told.times[a][b], boxes_overlap(&boxes[a], &boxes[b]), "%d of %d and %d", a, count, b);
}

static void assert_finds(const box *boxes, int32_t count) {
  memory m = plenty();
  box_tree tree;
  cr_assert(box_tree_make(&tree, &m, boxes, count));
  int32_t found[BOXES_MAX];
  for (int32_t i = 0; i < count; i++) {
    bool is_found[BOXES_MAX] = {false};
    const int32_t n = box_tree_find(&tree, i, &boxes[i], found);
    for (int32_t k = 0; k < n; k++) {
      cr_assert(found[k] > i && found[k] < count && !is_found[found[k]]);
      is_found[found[k]] = true;
    }
    for (int32_t j = i + 1; j < count; j++)
      cr_assert_eq(is_found[j], boxes_overlap(&boxes[i], &boxes[j]), "%d of %d and %d", i, count, j);
  }
  assert_pairs(&tree, boxes, count);
  box_tree_free(&tree, &m);
  cr_expect_eq(m.used, 0);
}

Test(box_tree, finds_what_all_pairs_find_for_boxes_of_any_number_and_size) {
  static box boxes[BOXES_MAX];
  generator random = {.state = 1};
  const msd_real sizes[] = {0, (msd_real)0.05, 1};
  for (int32_t count = 1; count <= BOXES_MAX; count = count * 3 / 2 + 1)
    for (int s = 0; s < 4; s++) {
      for (int32_t i = 0; i < count; i++)
        boxes[i] = random_box(&random, s < 3 ? sizes[s] : sizes[i % 3]);
      assert_finds(boxes, count);
    }
}

Test(box_tree, boxes_in_one_place_all_overlap) {
  static box boxes[100];
  for (int i = 0; i < 100; i++)
    boxes[i] = (box){{1, 2, 3}, {1, 2, 3}};
  assert_finds(boxes, 100);
}

/* The width of all is more than the largest number. */
Test(box_tree, the_largest_numbers_do_no_harm) {
  static box boxes[300];
  generator random = {.state = 2};
  for (int i = 0; i < 300; i++)
    boxes[i] = random_box(&random, (msd_real)0.1);
  boxes[7] = (box){{-LARGEST, -LARGEST, -LARGEST}, {-LARGEST, -LARGEST, LARGEST}};
  boxes[150] = (box){{-LARGEST, -LARGEST, -LARGEST}, {LARGEST, LARGEST, LARGEST}};
  boxes[299] = (box){{LARGEST, LARGEST, LARGEST}, {LARGEST, LARGEST, LARGEST}};
  assert_finds(boxes, 300);
}

Test(box_tree, without_memory_there_is_none_and_nothing_is_kept) {
  static box boxes[300];
  generator random = {.state = 3};
  for (int i = 0; i < 300; i++)
    boxes[i] = random_box(&random, (msd_real)0.1);
  for (size_t limit = 0; limit < 60000; limit += 500) {
    memory m = {.allocator = memory_default_allocator(), .limit = limit};
    box_tree tree;
    if (box_tree_make(&tree, &m, boxes, 300))
      box_tree_free(&tree, &m);
    cr_assert_eq(m.used, 0);
  }
}
