// Shared by all shaders: compiled before each file.

// Texels per row of a texture that holds an array.
const int ROW = 2048;

// What colors mean, see picture_color.
const int COLOR_NONE = 0, COLOR_STRAIN = 1, COLOR_FORCE = 2, COLOR_SPEED = 3, COLOR_ENERGY = 4, COLOR_KIND = 5;

layout(std140) uniform Frame {
  // Of the camera, or of the light when shadows are drawn.
  mat4 view_projection;
  // Always of the light.
  mat4 light_projection;
  // m; w: 1 for the camera, 0 for the light, whose rays are parallel.
  vec4 eye;
  // Unit vectors to the right and to the top of the picture, and out of it.
  vec4 right, top, back;
  // Unit vector to the light; w: 1 when there is a shadow map.
  vec4 light;
  // Unit vector; w: m along it to the ground.
  vec4 up;
  // Pixels: width, height; then 1 / width, 1 / height.
  vec4 viewport;
  // 1 / value at the top of the scale; COLOR_...; 1 for no shading.
  vec4 coloring;
  // m per texel of the shadow map; 1 / m of the height above ground from which shadows are softest.
  vec4 shadow;
  // The colors of bodies, front and back, and of kinds of springs.
  vec4 palette[6];
  vec4 back_palette[6];
  vec4 kinds[6];
};

const vec3 PIN_COLOR = vec3(0.13, 0.14, 0.17), SPRING_COLOR = vec3(0.36, 0.38, 0.42);
// Of what has no value, where colors stand for values; and of colliders.
const vec3 PLAIN_COLOR = vec3(0.62, 0.64, 0.67), COLLIDER_COLOR = vec3(0.70, 0.68, 0.655);

// Of each particle: its position in m, and its speed or energy.
uniform sampler2D points;
// The bits of the normal and of the value of each vertex, see gather.glsl.
uniform usampler2D gathered;
// |tension| of each spring in N.
uniform sampler2D values;
// The colors of the scale.
uniform sampler2D color_map;
#ifndef SHADOW
uniform mediump sampler2DShadow shadow_map;
#endif

ivec2 texel(int i) {
  return ivec2(i % ROW, i / ROW);
}

vec4 point_of(int i) {
  return texelFetch(points, texel(i), 0);
}

// The value that colors a spring.
float spring_value(int spring, vec4 a, vec4 b, float rest_length) {
  int color = int(coloring.y);
  if (color == COLOR_STRAIN)
    return rest_length > 0.0 ? distance(a.xyz, b.xyz) / rest_length - 1.0 : 0.0;
  if (color == COLOR_FORCE)
    return texelFetch(values, texel(spring), 0).r;
  return 0.5 * (a.w + b.w);
}

// The color of a value, in sRGB; all colors are in sRGB outside of shade().
vec3 scale_color(float value) {
  float at = clamp(value * coloring.x, 0.0, 1.0);
  return texture(color_map, vec2((at * 255.0 + 0.5) / 256.0, 0.5)).rgb;
}

// Whether colors stand for values.
bool colors_values() {
  int color = int(coloring.y);
  return color != COLOR_NONE && color != COLOR_KIND;
}

#ifdef VERTEX
// A corner of a triangle that covers -1..1 in both directions.
vec2 triangle_corner() {
  return vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
}

// A corner of a square from -1 to 1, drawn as a strip.
vec2 square_corner() {
  return vec2((gl_VertexID & 1) == 1 ? 1.0 : -1.0, (gl_VertexID & 2) == 2 ? 1.0 : -1.0);
}
#endif

#if defined(FRAGMENT) && defined(SHADOW)
// What a shape leaves in the light's map besides its depth: that it is there, and its height above the ground.
vec3 shade(vec3 color, vec3 position, vec3 normal, float rim, float translucency) {
  return vec3(1.0, clamp((dot(position, up.xyz) - up.w) * shadow.y, 0.0, 1.0), 0.0);
}
#elif defined(FRAGMENT)
// A gamma of 2.2 approximates the sRGB curve. These two are inverse to each other; between them light adds up.
vec3 to_linear(vec3 color) {
  return pow(color, vec3(2.2));
}

vec3 from_linear(vec3 color) {
  return pow(clamp(color, 0.0, 1.0), vec3(1.0 / 2.2));
}

// The share of the light that reaches a point of a surface, by nine bilinear samples of the shadow map.
float sunlight(vec3 position, vec3 normal) {
  if (light.w == 0.0)
    return 1.0;
  vec3 lifted = position + shadow.x * (2.0 * normal + light.xyz);
  vec3 at = (light_projection * vec4(lifted, 1.0)).xyz * 0.5 + 0.5;
  vec2 step_size = 1.3 / vec2(textureSize(shadow_map, 0));
  float sum = 0.0;
  for (int y = -1; y <= 1; y++)
    for (int x = -1; x <= 1; x++)
      sum += texture(shadow_map, vec3(at.xy + vec2(x, y) * step_size, at.z));
  return sum / 9.0;
}

// A matt surface, lit by a sun, a pale sky, light from the ground, and a weak lamp at the eye that brings out
// the form of what the sun does not reach, with a bright `rim` as of fibers. A share of the sunlight,
// `translucency`, passes a sheet to its other side. Where colors stand for values the light is more even, so
// that they can be compared with the scale.
vec3 shade(vec3 color, vec3 position, vec3 normal, float rim, float translucency) {
  if (coloring.z != 0.0)
    return color;
  vec3 view = normalize(eye.xyz - position);
  float away = dot(normal, view);
  // A smooth normal may lean backwards at an outline.
  if (away < 0.0)
    normal = normalize(normal - 1.001 * away * view);
  away = max(away, 0.0);
  vec3 albedo = to_linear(color);
  float facing = dot(normal, light.xyz);
  bool from_behind = facing < 0.0 && translucency > 0.0;
  float sun = max(clamp((facing + 0.1) / 1.1, 0.0, 1.0), -translucency * facing);
  sun *= mix(1.0, sunlight(position, from_behind ? -normal : normal), 0.92);
  float height = 0.5 + 0.5 * dot(normal, up.xyz);
  // The last term brings out the form of what is nearly black.
  if (colors_values())
    return from_linear(albedo * (0.44 + 0.10 * height + 0.12 * away + 0.38 * sun) + 0.012 * sun * away);
  vec3 sky = mix(vec3(0.15, 0.14, 0.135), vec3(0.27, 0.31, 0.37), height) + 0.20 * away * away;
  vec3 lit = albedo * (sky + 1.30 * sun * vec3(1.0, 0.97, 0.92));
  float grazing = (1.0 - away) * (1.0 - away) * (1.0 - away);
  return from_linear(lit + rim * grazing * (0.3 + 0.7 * sun) * mix(albedo, vec3(1.0), 0.4));
}
#endif
