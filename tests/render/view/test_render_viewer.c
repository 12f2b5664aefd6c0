#define _POSIX_C_SOURCE 200809L
#include "tests/support/share.h"
#include "tests/support/viewer_stage.h"

#include "render/view/hand.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static msd_vec3 position(const fixture *f, int32_t particle) {
  return msd_particle_get_position(status(f).scene->world, particle);
}

/* The pixel of a point of the world. */
static void pixel_of(const fixture *f, float x, float y, float z, float pixel[2]) {
  viewer_status now = status(f);
  float depth;
  cr_assert(camera_project(&now.camera, WIDTH, HEIGHT, (vec3){x, y, z}, pixel, &depth));
}

static void pixel_of_particle(const fixture *f, int32_t particle, float pixel[2]) {
  msd_vec3 x = position(f, particle);
  pixel_of(f, (float)x.x, (float)x.y, (float)x.z, pixel);
}

Test(viewer, in_lockstep_every_frame_is_a_step) {
  fixture f;
  open_viewer(&f, front(), 4);
  frames(&f, 7);
  cr_expect_eq(status(&f).steps, 7);
  cr_expect_float_eq(status(&f).time, 0.07, 1e-9);
  close_viewer(&f);
}

/* The cloth is thrown far, and then put back. A camera that shows all frames so far has stepped back. */
Test(viewer, a_picture_shows_its_own_frame) {
  float distances[2];
  for (int alone = 0; alone < 2; alone++) {
    fixture f;
    viewer_options options = front();
    options.fits_each_frame = alone;
    open_viewer(&f, options, 4);
    for (int i = 0; i < 169; i++)
      cr_assert(msd_particle_set_velocity(status(&f).scene->world, i, (msd_vec3){0, 0, 30}) == MSD_OK);
    frames(&f, 10);
    for (int i = 0; i < 169; i++)
      cr_assert(msd_particle_set_position(
                    status(&f).scene->world, i,
                    (msd_vec3){(msd_real)(i % 13 / 12.0), (msd_real)(i / 13 / 12.0), 0}) == MSD_OK);
    frames(&f, 1);
    distances[alone] = status(&f).camera.distance;
    close_viewer(&f);
  }
  cr_expect(distances[1] < 0.9f * distances[0], "%g m away, %g m when it shows all frames",
            (double)distances[1], (double)distances[0]);
}

static int brightness_at(fixture *f, int x, int y) {
  static uint8_t pixels[3 * WIDTH * HEIGHT];
  canvas_read(f->canvas, pixels);
  const uint8_t *at = pixels + 3 * (y * WIDTH + x);
  return at[0] + at[1] + at[2];
}

/* The cloth fills the window. The pixels are beside the letters of the title and of the scale. */
Test(viewer, texts_stand_on_paper) {
  fixture f;
  viewer_options options = front();
  options.hides_help = true;
  options.camera.zoom = 4;
  options.color = PICTURE_COLOR_STRAIN;
  open_viewer(&f, options, 4);
  frames(&f, 1);
  int cloth = brightness_at(&f, WIDTH - 10, HEIGHT / 2);
  cr_expect(brightness_at(&f, 18, 14) > cloth + 150, "no paper behind the title");
  cr_expect(brightness_at(&f, 14, HEIGHT - 14) > cloth + 150, "no paper behind the scale");
  close_viewer(&f);
}

Test(viewer, pauses_and_steps_and_goes_on) {
  fixture f;
  open_viewer(&f, front(), 4);
  viewer_key(f.viewer, ' ');
  frames(&f, 3);
  cr_expect(status(&f).is_paused && status(&f).steps == 0);
  cr_expect(viewer_is_still(f.viewer));
  viewer_key(f.viewer, '.');
  cr_expect_not(viewer_is_still(f.viewer));
  frames(&f, 3);
  cr_expect_eq(status(&f).steps, 1, "one step for one key");
  viewer_key(f.viewer, ' ');
  frames(&f, 3);
  cr_expect_eq(status(&f).steps, 4);
  close_viewer(&f);
}

Test(viewer, a_step_pauses_what_runs) {
  fixture f;
  open_viewer(&f, front(), 4);
  viewer_key(f.viewer, '.');
  frames(&f, 5);
  cr_expect(status(&f).is_paused && status(&f).steps == 1);
  close_viewer(&f);
}

Test(viewer, begins_again_from_the_file_as_it_now_is) {
  fixture f;
  open_viewer(&f, front(), 4);
  frames(&f, 20);
  cr_assert((double)position(&f, 90).y < 0.45);
  write_scene(&f, "second", 4);
  viewer_key(f.viewer, 'R');
  viewer_key(f.viewer, ' ');
  frames(&f, 1);
  cr_expect_eq(status(&f).steps, 0);
  cr_expect_str_eq(status(&f).scene->title, "second");
  cr_expect_float_eq((double)position(&f, 6 * COLUMNS + 6).y, 0.5, 1e-6);
  close_viewer(&f);
}

Test(viewer, keeps_its_scene_when_the_file_is_bad) {
  fixture f;
  open_viewer(&f, front(), 4);
  frames(&f, 3);
  FILE *file = fopen(f.path, "w");
  cr_assert(file != NULL);
  fprintf(file, "{\"msd\": 1, \"bodies\": [");
  fclose(file);
  viewer_key(f.viewer, 'R');
  frames(&f, 2);
  cr_expect_str_eq(status(&f).scene->title, "first");
  cr_expect_eq(status(&f).steps, 5);
  cr_expect(strstr(status(&f).message, f.path) != NULL, "it says \"%s\"", status(&f).message);
  close_viewer(&f);
}

Test(viewer, slow_motion_is_announced_and_bounded) {
  fixture f;
  open_viewer(&f, front(), 4);
  viewer_key(f.viewer, '-');
  cr_expect_eq(status(&f).speed, 0.5);
  viewer_key(f.viewer, '=');
  viewer_key(f.viewer, '=');
  cr_expect_eq(status(&f).speed, 2);
  for (int i = 0; i < 100; i++)
    viewer_key(f.viewer, '-');
  cr_expect(status(&f).speed > 0);
  close_viewer(&f);
}

Test(viewer, a_drag_pulls_the_particle_to_the_pointer) {
  fixture f;
  open_viewer(&f, front(), 4);
  frames(&f, 1);
  int32_t middle = 6 * COLUMNS + 6;
  float from[2], to[2];
  pixel_of_particle(&f, middle, from);
  viewer_press(f.viewer, VIEWER_LEFT, false, false, from[0], from[1]);
  pixel_of(&f, 0.2f, 0.8f, 0, to);
  viewer_move(f.viewer, to[0], to[1]);
  frames(&f, 40);
  cr_expect_eq(status(&f).held, middle);
  msd_vec3 at = position(&f, middle);
  /* It hangs below the pointer by its share of the weight of the cloth; the whole weight gives g / (2 pi f)^2.
     */
  double lowest = 0.8 - 9.81 / pow(2 * 3.14159265 * HAND_FREQUENCY, 2);
  cr_expect(fabs((double)at.x - 0.2) < 0.01 && (double)at.y < 0.8 && (double)at.y > lowest &&
                fabs((double)at.z) < 0.01,
            "it is at %g, %g, %g", (double)at.x, (double)at.y, (double)at.z);
  viewer_release(f.viewer);
  frames(&f, 40);
  cr_expect_eq(status(&f).held, -1);
  cr_expect((double)position(&f, middle).y < 0.7, "it falls when it is let go");
  close_viewer(&f);
}

Test(viewer, a_drag_to_infinity_stays_finite) {
  fixture f;
  open_viewer(&f, front(), 4);
  frames(&f, 1);
  float from[2];
  pixel_of_particle(&f, 6 * COLUMNS + 6, from);
  viewer_press(f.viewer, VIEWER_LEFT, false, false, from[0], from[1]);
  for (int i = 0; i < 15; i++) {
    viewer_move(f.viewer, i % 2 == 0 ? 1e7f : -1e7f, i % 3 == 0 ? 1e7f : -1e7f);
    frames(&f, 1);
  }
  viewer_release(f.viewer);
  frames(&f, 5);
  for (int32_t i = 0; i < ROWS * COLUMNS; i++)
    cr_assert(isfinite((double)position(&f, i).x) && isfinite((double)position(&f, i).y));
  close_viewer(&f);
}

Test(viewer, a_lost_release_can_be_told) {
  fixture f;
  open_viewer(&f, front(), 4);
  frames(&f, 1);
  float from[2];
  pixel_of_particle(&f, 80, from);
  viewer_press(f.viewer, VIEWER_LEFT, false, false, from[0], from[1]);
  viewer_move(f.viewer, from[0] + 30, from[1]);
  frames(&f, 2);
  cr_expect_eq(status(&f).held, 80);
  /* The window has lost the focus; then the button is released after all. */
  viewer_release(f.viewer);
  viewer_release(f.viewer);
  viewer_move(f.viewer, from[0] + 60, from[1]);
  frames(&f, 2);
  cr_expect_eq(status(&f).held, -1);
  close_viewer(&f);
}

Test(viewer, a_click_pins_and_unpins) {
  fixture f;
  open_viewer(&f, front(), 4);
  viewer_key(f.viewer, ' ');
  frames(&f, 1);
  const msd_world *world = status(&f).scene->world;
  float at[2];
  pixel_of_particle(&f, 6 * COLUMNS + 3, at);
  for (int i = 0; i < 2; i++) {
    viewer_press(f.viewer, VIEWER_LEFT, false, true, at[0], at[1]);
    viewer_release(f.viewer);
    frames(&f, 1);
    cr_expect_eq(msd_particle_is_pinned(world, 6 * COLUMNS + 3), i == 0);
  }
  /* A corner, which the scene has pinned. */
  pixel_of_particle(&f, 0, at);
  viewer_press(f.viewer, VIEWER_LEFT, false, true, at[0], at[1]);
  viewer_release(f.viewer);
  frames(&f, 1);
  cr_expect_not(msd_particle_is_pinned(world, 0));
  close_viewer(&f);
}

/* Opens a viewer on a rope that is out of the way, with a collider in front of it. */
static void open_on_collider(fixture *f, const char *collider) {
  open_viewer(f, front(), 4);
  FILE *file = fopen(f->path, "w");
  cr_assert(file != NULL);
  fprintf(
      file,
      "{\"msd\": 1, \"frame_time\": 0.01, \"substeps\": 1, \"bodies\": [{\"type\": \"rope\", \"from\": [-1, "
      "1, -1], \"to\": [1, 1, -1], \"pinned\": [\"all\"]}], \"colliders\": [%s]}",
      collider);
  cr_assert(fclose(file) == 0);
  viewer_do(f->viewer, VIEWER_RELOAD);
  frames(f, 2);
}

/* Where it is held it stays under the pointer. */
Test(viewer, a_drag_leads_a_collider_by_the_point_under_the_pointer) {
  fixture f;
  open_on_collider(&f, "{\"type\": \"sphere\", \"position\": [0, 0.5, 0], \"radius\": 0.25}");
  float from[2], to[2];
  pixel_of(&f, 0, 0.5f, 0, from);
  viewer_press(f.viewer, VIEWER_LEFT, false, false, from[0], from[1]);
  viewer_move(f.viewer, from[0] + 30, from[1] - 20);
  frames(&f, 60);
  const msd_vec3 at = msd_collider_get_def(status(&f).scene->world, 0).position;
  cr_expect(at.x > 0 && at.y > 0.5, "it went right and up, to %g %g", (double)at.x, (double)at.y);
  const double *held = f.viewer->grip;
  pixel_of(&f, (float)(held[0] + (double)at.x), (float)(held[1] + (double)at.y - 0.5),
           (float)(held[2] + (double)at.z), to);
  cr_expect(fabsf(to[0] - from[0] - 30) < 0.5f && fabsf(to[1] - from[1] + 20) < 0.5f, "%g %g pixels",
            (double)(to[0] - from[0]), (double)(to[1] - from[1]));
  viewer_release(f.viewer);
  frames(&f, 20);
  cr_expect_eq(msd_collider_get_def(status(&f).scene->world, 0).position.x, at.x, "let go, it stands");
  close_viewer(&f);
}

/* An octahedron with a needle that stands on its top, at (0, 0.5, 0) of the world. */
Test(viewer, a_drag_leads_all_of_a_mesh_collider) {
  static const char octahedron[] =
      "v 0.25 0 0\nv -0.25 0 0\nv 0 0.25 0\nv 0 -0.25 0\nv 0 0 0.25\nv 0 0 -0.25\nv 0 0.5 0\n"
      "f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\nl 3 7\n";
  char mesh_path[80], collider[200];
  snprintf(mesh_path, sizeof mesh_path, "/tmp/msd_test_viewer_%ld.obj", (long)getpid());
  FILE *file = fopen(mesh_path, "w");
  cr_assert(file != NULL && fputs(octahedron, file) >= 0 && fclose(file) == 0);
  snprintf(collider, sizeof collider, "{\"type\": \"mesh\", \"file\": \"%s\", \"position\": [0, 0.5, 0]}",
           strrchr(mesh_path, '/') + 1);
  /* A point of the face in front, and one of the needle. */
  static const float points[2][3] = {{0.05f, 0.55f, 0.15f}, {0, 0.9f, 0}};
  for (int part = 0; part < share_of(2); part++) {
    fixture f;
    float from[2], to[2];
    open_on_collider(&f, collider);
    const scene *s = status(&f).scene;
    const msd_range all = s->bodies[s->body_count - 1].particles;
    msd_vec3 before[7], after[7];
    cr_assert_eq(all.count, 7);
    for (int i = 0; i < 7; i++)
      before[i] = position(&f, all.first + i);
    pixel_of(&f, points[part][0], points[part][1], points[part][2], from);
    viewer_press(f.viewer, VIEWER_LEFT, false, false, from[0], from[1]);
    viewer_move(f.viewer, from[0] + 30, from[1] - 20);
    frames(&f, 60);
    for (int i = 0; i < 7; i++)
      after[i] = position(&f, all.first + i);
    const float x = (float)(after[0].x - before[0].x), y = (float)(after[0].y - before[0].y),
                z = (float)(after[0].z - before[0].z);
    cr_expect(x > 0 && y > 0, "it went right and up, by %g %g", (double)x, (double)y);
    for (int i = 1; i < 7; i++)
      cr_expect(fabs((double)(after[i].x - before[i].x) - (double)x) < 1e-5 &&
                    fabs((double)(after[i].y - before[i].y) - (double)y) < 1e-5 &&
                    fabs((double)(after[i].z - before[i].z) - (double)z) < 1e-5,
                "corner %d goes along", i);
    pixel_of(&f, points[part][0] + x, points[part][1] + y, points[part][2] + z, to);
    cr_expect(fabsf(to[0] - from[0] - 30) < 1 && fabsf(to[1] - from[1] + 20) < 1, "%g %g pixels",
              (double)(to[0] - from[0]), (double)(to[1] - from[1]));
    viewer_release(f.viewer);
    frames(&f, 20);
    cr_expect_eq(position(&f, all.first).x, after[0].x, "let go, it stands");
    cr_expect(msd_particle_is_pinned(s->world, all.first));
    close_viewer(&f);
  }
  remove(mesh_path);
}

Test(viewer, a_stroke_cuts_the_cloth_in_two) {
  fixture f;
  open_viewer(&f, front(), 4);
  viewer_key(f.viewer, ' ');
  frames(&f, 1);
  float from[2], to[2];
  pixel_of(&f, -0.7f, 0.55f, 0, from);
  pixel_of(&f, 0.7f, 0.55f, 0, to);
  viewer_press(f.viewer, VIEWER_LEFT, true, false, from[0], from[1]);
  for (int i = 1; i <= 10; i++)
    viewer_move(f.viewer, from[0] + (to[0] - from[0]) * (float)i / 10,
                from[1] + (to[1] - from[1]) * (float)i / 10);
  viewer_release(f.viewer);
  frames(&f, 1);
  /* 13 vertical springs, and two diagonals in each of the 12 cells of a row. */
  cr_expect_eq(msd_world_get_stats(status(&f).scene->world).broken, 13 + 2 * 12);
  viewer_key(f.viewer, ' ');
  frames(&f, 45);
  cr_expect((double)position(&f, 12 * COLUMNS + 6).y < -0.2, "the lower part falls");
  cr_expect((double)position(&f, 2 * COLUMNS + 6).y > 0, "the upper part hangs");
  viewer_key(f.viewer, 'R');
  frames(&f, 1);
  cr_expect_eq(msd_world_get_stats(status(&f).scene->world).broken, 0, "and a reset mends it");
  close_viewer(&f);
}

/* A red line from where the stroke began to where the pointer is, until the button is released. */
Test(viewer, a_stroke_is_seen_while_it_cuts) {
  fixture f;
  open_viewer(&f, front(), 4);
  viewer_key(f.viewer, ' ');
  frames(&f, 1);
  viewer_press(f.viewer, VIEWER_LEFT, true, false, 20, 200);
  for (int i = 1; i <= 300; i++)
    viewer_move(f.viewer, 20 + 0.5f * (float)i, 200);
  uint8_t *pixels = malloc(3 * WIDTH * HEIGHT);
  cr_assert(pixels != NULL);
  for (int is_down = 1; is_down >= 0; is_down--) {
    frames(&f, 1);
    canvas_read(f.canvas, pixels);
    int red = 0;
    for (int x = 22; x < 160; x++) {
      const uint8_t *at = pixels + 3 * (200 * WIDTH + x);
      red += at[0] > 150 && at[1] < 90 && at[2] < 90;
    }
    cr_expect(is_down ? red > 130 : red < 20, "%d of 138 pixels are red", red);
    viewer_release(f.viewer);
  }
  free(pixels);
  close_viewer(&f);
}

Test(viewer, a_click_shows_what_is_there) {
  fixture f;
  open_viewer(&f, front(), 4);
  viewer_key(f.viewer, ' ');
  frames(&f, 1);
  float at[2];
  pixel_of_particle(&f, 5 * COLUMNS + 4, at);
  viewer_press(f.viewer, VIEWER_LEFT, false, false, at[0], at[1]);
  viewer_release(f.viewer);
  frames(&f, 1);
  cr_expect_eq(status(&f).selected_particle, 5 * COLUMNS + 4);
  /* When springs are shown a click between particles selects a spring. */
  viewer_key(f.viewer, 'S');
  float next[2];
  pixel_of_particle(&f, 5 * COLUMNS + 5, next);
  viewer_press(f.viewer, VIEWER_LEFT, false, false, (at[0] + next[0]) / 2, (at[1] + next[1]) / 2);
  viewer_release(f.viewer);
  frames(&f, 1);
  cr_expect_eq(status(&f).selected_particle, -1);
  msd_spring_def def = msd_spring_get_def(status(&f).scene->world, status(&f).selected_spring);
  cr_expect(def.a == 5 * COLUMNS + 4 && def.b == 5 * COLUMNS + 5, "the spring from %d to %d", def.a, def.b);
  viewer_press(f.viewer, VIEWER_LEFT, false, false, 1, 1);
  viewer_release(f.viewer);
  frames(&f, 1);
  cr_expect(status(&f).selected_particle == -1 && status(&f).selected_spring == -1);
  close_viewer(&f);
}

Test(viewer, drags_beside_everything_turn_the_view) {
  fixture f;
  open_viewer(&f, front(), 4);
  frames(&f, 1);
  camera before = status(&f).camera;
  viewer_press(f.viewer, VIEWER_LEFT, false, false, 2, 2);
  viewer_move(f.viewer, 42, 22);
  viewer_release(f.viewer);
  camera after = status(&f).camera;
  cr_expect(after.azimuth < before.azimuth - 5 && after.elevation > before.elevation + 2);
  cr_expect_eq(after.distance, before.distance);
  viewer_scroll(f.viewer, 3);
  cr_expect(status(&f).camera.distance < 0.8f * before.distance);
  viewer_press(f.viewer, VIEWER_MIDDLE, false, false, 100, 100);
  viewer_move(f.viewer, 140, 100);
  viewer_release(f.viewer);
  cr_expect(glm_vec3_distance(status(&f).camera.target, before.target) > 0.01f);
  viewer_key(f.viewer, 'F');
  cr_expect(fabsf(status(&f).camera.target[0]) < 0.05f, "F shows everything again");
  close_viewer(&f);
}

Test(viewer, tuning_takes_effect_with_the_next_frame) {
  fixture f;
  open_viewer(&f, front(), 4);
  viewer_key(f.viewer, 'T');
  frames(&f, 1);
  cr_expect(viewer_shows_panel(f.viewer));
  controls *c = viewer_controls(f.viewer);
  cr_expect(c->samples == 1 && c->has_stability && c->substeps_taken == 4);
  c->frame_time = 0.05;
  c->gravity[1] = 0;
  c->gravity[2] = 4;
  c->settings_changed = true;
  frames(&f, 2);
  cr_expect_float_eq(status(&f).time, 0.01 + 2 * 0.05, 1e-9);
  cr_expect_eq((double)msd_world_get_gravity(status(&f).scene->world).z, 4);
  close_viewer(&f);
}

Test(viewer, every_key_draws_without_an_error) {
  fixture f;
  open_viewer(&f, front(), 4);
  for (const char *key = "CCCCCCSBXGHSBXGH .=-F"; *key != '\0'; key++) {
    viewer_key(f.viewer, *key);
    frames(&f, 1);
  }
  viewer_resize(f.viewer, 1, 1);
  frames(&f, 1);
  viewer_resize(f.viewer, WIDTH, HEIGHT);
  cr_expect_not(viewer_wants_to_quit(f.viewer));
  viewer_key(f.viewer, 'Q');
  cr_expect(viewer_wants_to_quit(f.viewer));
  viewer_key(f.viewer, 'P');
  cr_expect(viewer_wants_picture(f.viewer));
  cr_expect_not(viewer_wants_picture(f.viewer), "once");
  close_viewer(&f);
}

/* A step of so many substeps takes longer than many frames, which are drawn meanwhile; in part, as much longer
   than a few. */
Test(viewer, a_heavy_scene_does_not_stop_the_window) {
  fixture f;
  const int part = in_part ? 4 : 1;
  viewer_options options = front();
  options.is_lockstep = false;
  open_viewer(&f, options, 1000000 / part);
  frames(&f, 8 / part);
  cr_expect_eq(status(&f).steps, 0, "the first step cannot be over");
  cr_expect_not(runner_is_idle(f.viewer->runner));
  close_viewer(&f);
}

/* As long as the steps are done before the next frame is due. */
Test(viewer, in_its_own_time_it_keeps_real_time) {
  fixture f;
  viewer_options options = front();
  options.is_lockstep = false;
  open_viewer(&f, options, 1);
  for (int i = 0; i < 50; i++) {
    /* 0.01 s pass with every frame, so that a step is due. */
    frames(&f, 1);
    while (!runner_is_idle(f.viewer->runner))
      nanosleep(&(struct timespec){0, 100000}, NULL);
  }
  cr_expect(status(&f).steps >= 49 && status(&f).steps <= 50, "%d steps in half a second",
            (int)status(&f).steps);
  close_viewer(&f);
}
