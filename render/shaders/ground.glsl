// The ground: a disc that fades into the background, with the shadow of everything above it. Without gravity
// only its lines, which show scale and motion.

// m: center and radius.
uniform vec4 disc;
// Unit vectors in the ground; axis_x.w: 0 for lines only; axis_z.w: m between lines.
uniform vec4 axis_x, axis_z;

uniform bool shadow_only;

#ifdef VERTEX
out vec3 position;
// Counts lines along both axes.
out vec2 grid;

void main() {
  vec2 corner = square_corner() * disc.w;
  position = disc.xyz + corner.x * axis_x.xyz + corner.y * axis_z.xyz;
  grid = vec2(dot(position, axis_x.xyz), dot(position, axis_z.xyz)) / axis_z.w;
  gl_Position = view_projection * vec4(position, 1.0);
}
#else
in vec3 position;
in vec2 grid;
layout(location = 0) out vec4 result;

// The light's map, blurred: the share of shadow, and the height of what casts it.
uniform sampler2D shade_map;
// The same, blurred more.
uniform sampler2D wide_map;

// How much of this pixel lines of constant width in pixels cover; none where they would crowd.
float line_at(vec2 x) {
  vec2 slope = max(fwidth(x), vec2(1e-6));
  vec2 away = abs(fract(x - 0.5) - 0.5) / slope;
  vec2 lines = clamp(1.0 - away, 0.0, 1.0) * clamp(1.0 - 3.0 * slope, 0.0, 1.0);
  return max(lines.x, lines.y);
}

void main() {
  float away = distance(position, disc.xyz) / disc.w;
  float fade = 1.0 - smoothstep(0.08, 0.75, away);
  vec2 at = (light_projection * vec4(position, 1.0)).xy * 0.5 + 0.5;
  float dark = 0.0;
  if (light.w == 1.0) {
    vec2 sharp = texture(shade_map, at).rg, wide = texture(wide_map, at).rg;
    float height = wide.g / max(wide.r, 1e-3);
    dark = mix(sharp.r, wide.r, smoothstep(0.0, 0.55, height));
  }
  if (shadow_only) {
    result = vec4(0.0, 0.0, 0.0, 0.36 * dark);
    return;
  }
  if (axis_x.w == 0.0) {
    result = vec4(0.62, 0.65, 0.69, 0.6 * fade * line_at(grid));
    return;
  }
  vec3 color = mix(vec3(0.945, 0.943, 0.935), vec3(0.80, 0.815, 0.83), 0.6 * line_at(grid));
  color *= 1.0 - dark * vec3(0.36, 0.34, 0.30);
  result = vec4(color, fade);
}
#endif
