/* glTF files for tests: a square of two triangles in every way of writing it. */
#ifndef MSD_TESTS_SUPPORT_GLTF_FILES_H
#define MSD_TESTS_SUPPORT_GLTF_FILES_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The corners of the square, as they go round it seen from +z. */
static const float gltf_square[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};

enum { GLTF_SQUARE_BYTES = 144 };

static inline void gltf_put(char *bytes, size_t at, uint32_t value, size_t size) {
  for (size_t i = 0; i < size; i++)
    bytes[at + i] = (char)(value >> (8 * i) & 0xff);
}

static inline void gltf_put_float(char *bytes, size_t at, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  gltf_put(bytes, at, bits, 4);
}

/* What the accessors below are in: positions, three kinds of indices, texture coordinates that are the
   positions, and the positions as parts of 1, each in 8 bytes. */
static inline void gltf_square_bytes(char bytes[GLTF_SQUARE_BYTES]) {
  static const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3}, strip[4] = {0, 1, 3, 2}, fan[4] = {0, 1, 2, 3};
  memset(bytes, 0, GLTF_SQUARE_BYTES);
  for (size_t i = 0; i < 6; i++)
    gltf_put(bytes, 48 + 2 * i, triangles[i], 2);
  for (size_t i = 0; i < 4; i++) {
    for (size_t c = 0; c < 3; c++) {
      gltf_put_float(bytes, 12 * i + 4 * c, gltf_square[i][c]);
      gltf_put(bytes, 112 + 8 * i + 2 * c, gltf_square[i][c] > 0 ? 65535 : 0, 2);
    }
    gltf_put_float(bytes, 80 + 8 * i, gltf_square[i][0]);
    gltf_put_float(bytes, 84 + 8 * i, gltf_square[i][1]);
    gltf_put(bytes, 60 + i, strip[i], 1);
    gltf_put(bytes, 64 + 4 * i, fan[i], 4);
  }
}

#define GLTF_ASSET "\"asset\": { \"version\": \"2.0\" }"

/* The numbers of the accessors. */
#define GLTF_POSITIONS "0"
#define GLTF_TRIANGLES "1"
#define GLTF_STRIP     "2"
#define GLTF_FAN       "3"
#define GLTF_TEXTURE   "4"
#define GLTF_QUANTIZED "5"

#define GLTF_ACCESSORS                                                                                       \
  "\"accessors\": ["                                                                                         \
  "{ \"bufferView\": 0, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\" },"                        \
  "{ \"bufferView\": 0, \"byteOffset\": 48, \"componentType\": 5123, \"count\": 6, \"type\": \"SCALAR\" },"  \
  "{ \"bufferView\": 1, \"componentType\": 5121, \"count\": 4, \"type\": \"SCALAR\" },"                      \
  "{ \"bufferView\": 1, \"byteOffset\": 4, \"componentType\": 5125, \"count\": 4, \"type\": \"SCALAR\" },"   \
  "{ \"bufferView\": 2, \"byteOffset\": 0, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC2\" },"     \
  "{ \"bufferView\": 3, \"componentType\": 5123, \"normalized\": true, \"count\": 4, \"type\": \"VEC3\" } ]"

#define GLTF_VIEWS                                                                                           \
  "\"bufferViews\": [ { \"buffer\": 0, \"byteLength\": 60 },"                                                \
  "{ \"buffer\": 0, \"byteOffset\": 60, \"byteLength\": 20 },"                                               \
  "{ \"buffer\": 0, \"byteOffset\": 80, \"byteLength\": 32 },"                                               \
  "{ \"buffer\": 0, \"byteOffset\": 112, \"byteLength\": 32, \"byteStride\": 8 } ]"

/* All but what stands for the scene; the buffer is in a file. */
#define GLTF_DATA                                                                                            \
  GLTF_ASSET "," GLTF_ACCESSORS "," GLTF_VIEWS                                                               \
             ", \"buffers\": [ { \"uri\": \"square.bin\", \"byteLength\": 144 } ]"

#define GLTF_ONE_NODE "\"scenes\": [ { \"nodes\": [0] } ], \"nodes\": [ { \"mesh\": 0 } ]"

/* A mesh of one primitive. */
#define GLTF_MESH(members) "\"meshes\": [ { \"primitives\": [ { " members " } ] } ]"

#define GLTF_INDEXED(indices) "\"attributes\": { \"POSITION\": " GLTF_POSITIONS " }, \"indices\": " indices

/* A file in which one node has one primitive with these members. */
#define GLTF_FILE(members) "{ " GLTF_DATA "," GLTF_ONE_NODE "," GLTF_MESH(members) " }"

/* A binary file; its size. */
static inline size_t gltf_make_binary(char *out, const char *json, const char *bytes, size_t size) {
  const size_t text = (strlen(json) + 3) / 4 * 4, padded = (size + 3) / 4 * 4;
  const size_t total = 12 + 8 + text + (size > 0 ? 8 + padded : 0);
  memcpy(out, "glTF", 4);
  gltf_put(out, 4, 2, 4);
  gltf_put(out, 8, (uint32_t)total, 4);
  gltf_put(out, 12, (uint32_t)text, 4);
  memcpy(out + 16, "JSON", 4);
  memset(out + 20, ' ', text);
  memcpy(out + 20, json, strlen(json));
  if (size == 0)
    return total;
  gltf_put(out, 20 + text, (uint32_t)padded, 4);
  memcpy(out + 24 + text, "BIN", 4);
  memset(out + 28 + text, 0, padded);
  memcpy(out + 28 + text, bytes, size);
  return total;
}

#endif
