/* A cape on a figure that runs in place, in an SDL window. The shoulders are kinematic pins, the body is a
   capsule collider, and the wind blows. Escape or closing the window quits; `cape FRAMES` quits after that
   many frames. */
#include <SDL.h>
#include <msd/msd.h>

#include <math.h>
#include <stdlib.h>

enum { COLUMNS = 16, ROWS = 24, TRIANGLES = 2 * (COLUMNS - 1) * (ROWS - 1), WIDTH = 640, HEIGHT = 720 };

#define PIXELS_A_METER 320.0f

typedef struct cape {
  msd_world *world;
  int32_t triangles[TRIANGLES][3];
  msd_vec3 shoulders[COLUMNS];
} cape;

/* The upper row is pinned along the shoulders. The cape has self-collision, collides with the body and feels
   wind. */
static msd_result furnish(cape *c) {
  msd_material wool = msd_default_material();
  wool.area_density = (msd_real)0.3;
  wool.stretch_modulus = 600;
  wool.bend_rigidity = (msd_real)1e-4;
  wool.damping_ratio = (msd_real)0.1;
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.origin = (msd_vec3){(msd_real)-0.25, (msd_real)1.5, (msd_real)-0.2};
  cloth.u = (msd_vec3){(msd_real)0.5, 0, 0};
  cloth.v = (msd_vec3){0, (msd_real)-0.9, (msd_real)-0.35};
  cloth.columns = COLUMNS;
  cloth.rows = ROWS;
  cloth.material = &wool;
  msd_collider_def body = msd_default_collider_def();
  body.kind = MSD_COLLIDER_CAPSULE;
  body.from = (msd_vec3){0, (msd_real)0.5, 0};
  body.to = (msd_vec3){0, (msd_real)1.4, 0};
  body.radius = (msd_real)0.16;
  int32_t count = 0;
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = c->triangles[0];
  surface.triangle_count = TRIANGLES;
  msd_wind_def wind = msd_default_wind_def();
  wind.velocity = (msd_vec3){0, 0, (msd_real)-1.5};
  wind.turbulence = (msd_real)0.6;
  const unsigned char pins[COLUMNS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const msd_particle_set upper = msd_particle_set_of_range((msd_range){0, COLUMNS});
  msd_result result = msd_cloth_get_triangles(&cloth, 0, c->triangles[0], TRIANGLES, &count);
  if (result == MSD_OK)
    result = msd_add_cloth(c->world, &cloth, NULL);
  if (result == MSD_OK)
    result =
        msd_world_write(c->world, upper, MSD_PINNED, (msd_memory_layout){.number = MSD_SCALAR_BYTE}, pins);
  if (result == MSD_OK)
    result = msd_add_colliders(c->world, &body, 1, NULL);
  if (result == MSD_OK)
    result = msd_add_collision_meshes(c->world, &surface, 1, NULL);
  if (result == MSD_OK)
    result = msd_world_set_wind(c->world, &wind);
  return result == MSD_OK
             ? msd_world_read(c->world, upper, MSD_POSITION, (msd_memory_layout){0}, c->shoulders)
             : result;
}

/* Moves the figure up and down and sideways, and advances one frame. */
static msd_result step(cape *c, int frame) {
  const double time = (frame + 1) / 60.0;
  const msd_vec3 way = {(msd_real)(0.05 * sin(9 * time)), (msd_real)(0.06 * fabs(sin(9 * time))), 0};
  msd_vec3 targets[COLUMNS];
  for (int i = 0; i < COLUMNS; i++)
    targets[i] = (msd_vec3){c->shoulders[i].x + way.x, c->shoulders[i].y + way.y, c->shoulders[i].z};
  msd_result result = msd_world_write(c->world, msd_particle_set_of_range((msd_range){0, COLUMNS}),
                                      MSD_TARGET, (msd_memory_layout){0}, targets);
  if (result == MSD_OK)
    result = msd_collider_move_to(c->world, 0, way, (msd_quaternion){1, 0, 0, 0});
  return result == MSD_OK ? msd_world_step(c->world, (msd_real)1 / 60, 0) : result;
}

/* The camera is behind the figure, a little to the side and above. */
static SDL_FPoint project(double x, double y, double z) {
  return (SDL_FPoint){(float)(WIDTH / 2 - PIXELS_A_METER * (x + 0.4 * z)),
                      (float)(HEIGHT - 100 - PIXELS_A_METER * (y - 0.15 * z))};
}

/* Draws the capsule as a fan around its outline. */
static void draw_body(const cape *c, SDL_Renderer *renderer) {
  enum { CORNERS = 48 };
  static SDL_Vertex fan[3 * CORNERS];
  const msd_collider_def body = msd_collider_get_def(c->world, 0);
  const double low = (double)body.from.y, high = (double)body.to.y, radius = (double)body.radius;
  for (int n = 0; n < CORNERS; n++)
    for (int k = 0; k < 3; k++) {
      const double angle = 2 * 3.14159265 * (n + (k == 2)) / CORNERS, side = k > 0 ? radius : 0;
      const double middle = k == 0 ? (low + high) / 2 : sin(angle) > 0 ? high : low;
      fan[3 * n + k].position = project((double)body.position.x + side * cos(angle),
                                        (double)body.position.y + middle + side * sin(angle), 0);
      fan[3 * n + k].color = (SDL_Color){70, 74, 84, 255};
    }
  SDL_RenderGeometry(renderer, NULL, fan, 3 * CORNERS, NULL, 0);
}

typedef struct face {
  double depth;
  SDL_Vertex corners[3];
} face;

static int by_depth(const void *a, const void *b) {
  const double one = ((const face *)a)->depth, other = ((const face *)b)->depth;
  return (one < other) - (one > other);
}

/* Brightness from the angle between the normal and the light; the cape is lit from both sides. */
static Uint8 lit(int color, const double n[3]) {
  return (Uint8)(color * (0.3 + 0.7 * fabs(0.6 * n[0] + 0.3 * n[1] + 0.74 * n[2])));
}

/* Painter's algorithm: far triangles first. */
static void draw_cape(const cape *c, SDL_Renderer *renderer) {
  static face faces[TRIANGLES];
  static SDL_Vertex corners[3 * TRIANGLES];
  static double position[COLUMNS * ROWS][3], normal[COLUMNS * ROWS][3];
  const msd_memory_layout layout = {.number = MSD_SCALAR_DOUBLE};
  const msd_render_mesh skin = {.vertices = msd_particle_set_of_range((msd_range){0, COLUMNS * ROWS}),
                                .triangles = c->triangles[0],
                                .triangle_count = TRIANGLES};
  msd_world_read(c->world, skin.vertices, MSD_POSITION, layout, position);
  msd_world_read_normals(c->world, &skin, layout, normal);
  for (int t = 0; t < TRIANGLES; t++) {
    faces[t].depth = 0;
    for (int k = 0; k < 3; k++) {
      const int32_t v = c->triangles[t][k];
      const double *x = position[v], *n = normal[v];
      faces[t].depth += x[2];
      faces[t].corners[k].position = project(x[0], x[1], x[2]);
      faces[t].corners[k].color = (SDL_Color){lit(235, n), lit(50, n), lit(60, n), 255};
    }
  }
  qsort(faces, TRIANGLES, sizeof *faces, by_depth);
  for (int n = 0; n < 3 * TRIANGLES; n++)
    corners[n] = faces[n / 3].corners[n % 3];
  SDL_RenderGeometry(renderer, NULL, corners, 3 * TRIANGLES, NULL, 0);
}

static void draw(const cape *c, SDL_Renderer *renderer) {
  SDL_SetRenderDrawColor(renderer, 235, 238, 242, 255);
  SDL_RenderClear(renderer);
  draw_body(c, renderer);
  draw_cape(c, renderer);
  SDL_RenderPresent(renderer);
}

static int is_ended(void) {
  int ended = 0;
  for (SDL_Event event; SDL_PollEvent(&event);)
    ended |= event.type == SDL_QUIT || (event.type == SDL_KEYDOWN && event.key.keysym.sym == SDLK_ESCAPE);
  return ended;
}

int main(int argc, char **argv) {
  static cape c;
  const int frames = argc > 1 ? atoi(argv[1]) : -1;
  SDL_Window *window = NULL;
  SDL_Renderer *renderer = NULL;
  const msd_world_def def = msd_default_world_def();
  if (SDL_Init(SDL_INIT_VIDEO) || SDL_CreateWindowAndRenderer(WIDTH, HEIGHT, 0, &window, &renderer)) {
    SDL_Log("cape: %s", SDL_GetError());
    return 1;
  }
  msd_result result = msd_create_world(&def, &c.world);
  if (result == MSD_OK)
    result = furnish(&c);
  for (int frame = 0; result == MSD_OK && frame != frames && !is_ended(); frame++) {
    result = step(&c, frame);
    draw(&c, renderer);
    if (frames < 0)
      SDL_Delay(10);
  }
  if (result != MSD_OK)
    SDL_Log("cape: %s", msd_world_message(c.world));
  msd_destroy_world(c.world);
  SDL_Quit();
  return result == MSD_OK ? 0 : 1;
}
