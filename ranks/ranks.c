#include "ranks/ranks.h"

#include <petscmat.h>
#include <petscsf.h>

#include <limits.h>
#include <stdlib.h>

/* Of a message. */
static const size_t PIECE_BYTES = 1 << 30;

bool ranks_are_started(void) {
  static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
  for (size_t n = 0; n < sizeof variables / sizeof *variables; n++)
    if (getenv(variables[n]))
      return true;
  return false;
}

/* There is no way on without the others. */
static void must(PetscErrorCode error) {
  if (error)
    MPI_Abort(PETSC_COMM_WORLD, 1);
}

/* Signals and options are the program's own. */
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

/* Counts and places of MPI are numbers of 31 bits; what is more goes from each process to all, in pieces. */
static void gather_much(char *all, const size_t *bytes) {
  for (int rank = 0; rank < ranks_count(); all += bytes[rank++])
    for (size_t done = 0; done < bytes[rank]; done += PIECE_BYTES) {
      const size_t left = bytes[rank] - done;
      must(MPI_Bcast(all + done, (int)(left < PIECE_BYTES ? left : PIECE_BYTES), MPI_BYTE, rank,
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
    gather_much(all, bytes);
}

/* ------------------------------------------------------------------------------------------------- routes */

/* A star forest: parcels that are given are its roots, and those that are taken its leaves. */
typedef struct forest {
  PetscSF sf;
  /* A parcel. */
  MPI_Datatype unit;
} forest;

static bool lay_out(forest *f, const msd_route *route) {
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

/* Setting up a forest takes all processes, so none begins where one has no memory. */
static void *open_forest(const msd_route *route, void *context) {
  (void)context;
  forest *f = calloc(1, sizeof *f);
  double failed = !f || !lay_out(f, route);
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

/* -------------------------------------------------------------------------------------------------- parts */

/* The pieces whose lines of the matrix this process has. */
typedef struct lines {
  PetscInt first, count;
} lines;

static lines own_lines(const msd_piece_graph *graph) {
  const PetscInt rank = ranks_rank(), ranks = ranks_count(), pieces = graph->piece_count;
  const PetscInt first = pieces * rank / ranks, last = pieces * (rank + 1) / ranks;
  return (lines){first, last - first};
}

static int compare(const void *a, const void *b) {
  const PetscInt x = *(const PetscInt *)a, y = *(const PetscInt *)b;
  return (x > y) - (x < y);
}

/* The matrix takes over what PETSc has allocated, each line in ascending order. */
static Mat matrix_of(const msd_piece_graph *graph, lines own) {
  PetscInt *first, *neighbour;
  Mat matrix;
  const int32_t begin = graph->first[own.first], end = graph->first[own.first + own.count];
  must(PetscMalloc1((size_t)own.count + 1, &first));
  must(PetscMalloc1((size_t)(end - begin) + 1, &neighbour));
  for (PetscInt n = 0; n <= own.count; n++)
    first[n] = graph->first[own.first + n] - begin;
  for (int32_t n = begin; n < end; n++)
    neighbour[n - begin] = graph->neighbour[n];
  for (PetscInt n = 0; n < own.count; n++)
    qsort(neighbour + first[n], (size_t)(first[n + 1] - first[n]), sizeof *neighbour, compare);
  must(MatCreateMPIAdj(PETSC_COMM_WORLD, own.count, graph->piece_count, first, neighbour, NULL, &matrix));
  return matrix;
}

static MatPartitioning partitioning_of(const msd_piece_graph *graph, lines own, Mat matrix) {
  MatPartitioning parts;
  PetscInt *cost;
  must(PetscMalloc1((size_t)own.count + 1, &cost));
  for (PetscInt n = 0; n < own.count; n++)
    cost[n] = graph->cost[own.first + n];
  must(MatPartitioningCreate(PETSC_COMM_WORLD, &parts));
  must(MatPartitioningSetAdjacency(parts, matrix));
  must(MatPartitioningSetType(parts, MATPARTITIONINGPTSCOTCH));
  must(MatPartitioningSetVertexWeights(parts, cost));
  must(MatPartitioningSetNParts(parts, ranks_count()));
  return parts;
}

/* Where there are no more pieces than processes there is nothing to find; and PETSc does not come back from
   PT-Scotch where some process has none. */
static bool divide(const msd_piece_graph *graph, int32_t *rank_of, void *context) {
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
  MatPartitioning parts = partitioning_of(graph, own, matrix);
  must(MatPartitioningApply(parts, &found));
  must(ISAllGather(found, &all));
  must(ISGetIndices(all, &of_all));
  for (int32_t piece = 0; piece < graph->piece_count; piece++)
    rank_of[piece] = (int32_t)of_all[piece];
  must(ISRestoreIndices(all, &of_all));
  must(ISDestroy(&all));
  must(ISDestroy(&found));
  must(MatPartitioningDestroy(&parts));
  must(MatDestroy(&matrix));
  return true;
}

msd_ranks ranks_of_world(int depth, bool in_parts) {
  return (msd_ranks){.rank = ranks_rank(),
                     .count = ranks_count(),
                     .depth = depth,
                     .open = open_forest,
                     .close = close_forest,
                     .begin = begin_exchange,
                     .end = end_exchange,
                     .largest = largest,
                     .gather = gather,
                     .divide = in_parts ? divide : NULL};
}
