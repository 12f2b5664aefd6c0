#include "ranks/ranks.h"

#include <petscmat.h>
#include <petscsf.h>

#include <limits.h>
#include <stdlib.h>

/* Size of one message. */
static const size_t MESSAGE_BYTES = 1 << 30;

bool ranks_are_started(void) {
  static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
  for (size_t n = 0; n < sizeof variables / sizeof *variables; n++)
    if (getenv(variables[n]))
      return true;
  return false;
}

/* No process can continue without the others. */
static void must(PetscErrorCode error) {
  if (error)
    MPI_Abort(PETSC_COMM_WORLD, 1);
}

/* The program handles signals and options itself. */
void ranks_begin(void) {
  must(PetscOptionsSetValue(NULL, "-no_signal_handler", "true"));
  must(PetscInitializeNoArguments());
}

void ranks_end(void) {
  must(PetscFinalize());
}

int ranks_rank(void) {
  int rank;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return rank;
}

int ranks_count(void) {
  int count;
  MPI_Comm_size(PETSC_COMM_WORLD, &count);
  return count;
}

void ranks_largest(double *values, int count) {
  MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
}

static void largest(double *values, int count, void *context) {
  (void)context;
  ranks_largest(values, count);
}

/* Counts and displacements of MPI have 31 bits. Each process broadcasts larger data in several messages. */
static void gather_large(char *all, const size_t *bytes) {
  for (int rank = 0; rank < ranks_count(); all += bytes[rank++])
    for (size_t done = 0; done < bytes[rank]; done += MESSAGE_BYTES) {
      const size_t left = bytes[rank] - done;
      must(MPI_Bcast(all + done, (int)(left < MESSAGE_BYTES ? left : MESSAGE_BYTES), MPI_BYTE, rank,
                     PETSC_COMM_WORLD));
    }
}

static void gather(void *all, const size_t *bytes, void *context) {
  (void)context;
  static int *counts, *places;
  const size_t ranks = (size_t)ranks_count();
  size_t sum = 0;
  if (!counts && (!(counts = malloc(ranks * sizeof *counts)) || !(places = malloc(ranks * sizeof *places))))
    MPI_Abort(PETSC_COMM_WORLD, 1);
  for (size_t rank = 0; rank < ranks; sum += bytes[rank++]) {
    counts[rank] = (int)bytes[rank];
    places[rank] = (int)sum;
  }
  if (sum <= INT_MAX)
    must(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places, MPI_BYTE, PETSC_COMM_WORLD));
  else
    gather_large(all, bytes);
}

/* ------------------------------------------------------------------------------------------------- routes */

/* A star forest of halo messages: its roots are sent, its leaves are received. */
typedef struct forest {
  PetscSF sf;
  /* One halo message. */
  MPI_Datatype unit;
} forest;

static bool make_forest(forest *f, const msd_route *route) {
  PetscSFNode *roots = malloc(((size_t)route->take_count + 1) * sizeof *roots);
  if (!roots)
    return false;
  for (int32_t n = 0; n < route->take_count; n++)
    roots[n] = (PetscSFNode){.rank = route->take[n].rank, .index = route->take[n].number};
  must(PetscSFCreate(PETSC_COMM_WORLD, &f->sf));
  must(PetscSFSetGraph(f->sf, route->give_count, route->take_count, NULL, PETSC_COPY_VALUES, roots,
                       PETSC_COPY_VALUES));
  free(roots);
  MPI_Type_contiguous((int)route->bytes, MPI_BYTE, &f->unit);
  MPI_Type_commit(&f->unit);
  return true;
}

/* Setting up a forest is collective, so all processes fail if one has no memory. */
static void *open_forest(const msd_route *route, void *context) {
  (void)context;
  forest *f = calloc(1, sizeof *f);
  double failed = !f || !make_forest(f, route);
  ranks_largest(&failed, 1);
  if (failed == 0) {
    must(PetscSFSetUp(f->sf));
    return f;
  }
  if (f && f->sf) {
    must(PetscSFDestroy(&f->sf));
    MPI_Type_free(&f->unit);
  }
  free(f);
  return NULL;
}

static void close_forest(void *route, void *context) {
  (void)context;
  forest *f = route;
  must(PetscSFDestroy(&f->sf));
  MPI_Type_free(&f->unit);
  free(f);
}

static void begin_exchange(void *route, const void *give, void *take, void *context) {
  (void)context;
  const forest *f = route;
  must(PetscSFBcastBegin(f->sf, f->unit, give, take, MPI_REPLACE));
}

static void end_exchange(void *route, const void *give, void *take, void *context) {
  (void)context;
  const forest *f = route;
  must(PetscSFBcastEnd(f->sf, f->unit, give, take, MPI_REPLACE));
}

/* --------------------------------------------------------------------------------------------- partition */

/* The components whose rows of the adjacency matrix this process owns. */
typedef struct lines {
  PetscInt first, count;
} lines;

static lines own_lines(const msd_component_graph *graph) {
  const PetscInt rank = ranks_rank(), ranks = ranks_count(), pieces = graph->piece_count;
  const PetscInt first = pieces * rank / ranks, last = pieces * (rank + 1) / ranks;
  return (lines){first, last - first};
}

static int compare(const void *a, const void *b) {
  const PetscInt x = *(const PetscInt *)a, y = *(const PetscInt *)b;
  return (x > y) - (x < y);
}

/* The matrix owns arrays allocated by PETSc, with each row in ascending order. */
static Mat matrix_of(const msd_component_graph *graph, lines own) {
  PetscInt *first, *neighbor;
  Mat matrix;
  const int32_t begin = graph->first[own.first], end = graph->first[own.first + own.count];
  must(PetscMalloc1((size_t)own.count + 1, &first));
  must(PetscMalloc1((size_t)(end - begin) + 1, &neighbor));
  for (PetscInt n = 0; n <= own.count; n++)
    first[n] = graph->first[own.first + n] - begin;
  for (int32_t n = begin; n < end; n++)
    neighbor[n - begin] = graph->neighbor[n];
  for (PetscInt n = 0; n < own.count; n++)
    qsort(neighbor + first[n], (size_t)(first[n + 1] - first[n]), sizeof *neighbor, compare);
  must(MatCreateMPIAdj(PETSC_COMM_WORLD, own.count, graph->piece_count, first, neighbor, NULL, &matrix));
  return matrix;
}

static MatPartitioning partitioning_of(const msd_component_graph *graph, lines own, Mat matrix) {
  MatPartitioning partitioning;
  PetscInt *cost;
  must(PetscMalloc1((size_t)own.count + 1, &cost));
  for (PetscInt n = 0; n < own.count; n++)
    cost[n] = graph->cost[own.first + n];
  must(MatPartitioningCreate(PETSC_COMM_WORLD, &partitioning));
  must(MatPartitioningSetAdjacency(partitioning, matrix));
  must(MatPartitioningSetType(partitioning, MATPARTITIONINGPTSCOTCH));
  must(MatPartitioningSetVertexWeights(partitioning, cost));
  must(MatPartitioningSetNParts(partitioning, ranks_count()));
  return partitioning;
}

/* With no more components than processes, each process gets at most one. PETSc with PT-Scotch would hang if
   some process had none. */
static bool divide(const msd_component_graph *graph, int32_t *rank_of, void *context) {
  (void)context;
  if (graph->piece_count <= ranks_count()) {
    for (int32_t piece = 0; piece < graph->piece_count; piece++)
      rank_of[piece] = piece;
    return true;
  }
  const lines own = own_lines(graph);
  const PetscInt *of_all;
  IS found, all;
  Mat matrix = matrix_of(graph, own);
  MatPartitioning partitioning = partitioning_of(graph, own, matrix);
  must(MatPartitioningApply(partitioning, &found));
  must(ISAllGather(found, &all));
  must(ISGetIndices(all, &of_all));
  for (int32_t piece = 0; piece < graph->piece_count; piece++)
    rank_of[piece] = (int32_t)of_all[piece];
  must(ISRestoreIndices(all, &of_all));
  must(ISDestroy(&all));
  must(ISDestroy(&found));
  must(MatPartitioningDestroy(&partitioning));
  must(MatDestroy(&matrix));
  return true;
}

msd_ranks ranks_of_world(int depth, bool by_graph) {
  return (msd_ranks){.rank = ranks_rank(),
                     .count = ranks_count(),
                     .depth = depth,
                     .open = open_forest,
                     .close = close_forest,
                     .begin = begin_exchange,
                     .end = end_exchange,
                     .largest = largest,
                     .gather = gather,
                     .divide = by_graph ? divide : NULL};
}
