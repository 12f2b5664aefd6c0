// A particle as a sphere: a square that faces the eye, in which each pixel intersects its ray with the sphere.

#ifdef VERTEX
layout(location = 0) in int particle;
// m.
layout(location = 1) in float radius;
// A body, or -2: a pin.
layout(location = 2) in int look;

// Center and radius in m.
flat out vec4 sphere;
flat out vec3 color;
out vec3 position;

void main() {
  vec3 center = point_of(particle).xyz;
  sphere = vec4(center, radius);
  vec4 gather = uintBitsToFloat(texelFetch(gathered, texel(particle), 0));
  if (look < 0)
    color = PIN_COLOR;
  else if (colors_values())
    color = scale_color(gather.w);
  else if (int(coloring.y) == COLOR_KIND)
    color = PLAIN_COLOR;
  else
    color = palette[look % 6].rgb;

  vec3 towards = back.xyz, aside = right.xyz;
  float reach = radius;
  if (eye.w == 1.0) {
    vec3 arm = eye.xyz - center;
    float away = max(length(arm), 1.001 * radius);
    towards = arm / away;
    aside = normalize(cross(top.xyz, towards));
    // Where the cone around the outline meets the square.
    reach = radius * away / sqrt(away * away - radius * radius);
  }
  vec2 corner = square_corner();
  position = center + 1.1 * reach * (corner.x * aside + corner.y * cross(towards, aside));
  gl_Position = view_projection * vec4(position, 1.0);
}
#else
flat in vec4 sphere;
flat in vec3 color;
in vec3 position;
layout(location = 0) out vec4 result;

void main() {
  vec3 origin = eye.w == 1.0 ? eye.xyz : position + 4.0 * sphere.w * back.xyz;
  vec3 ray = normalize(position - origin);
  vec3 arm = sphere.xyz - origin;
  float along = dot(arm, ray);
  // 0 at the center of the disc that is seen, 1 at its outline.
  float miss = length(arm - along * ray) / sphere.w;
  float soft = max(fwidth(miss), 1e-4);
  // Becomes the coverage of the samples of the pixel.
  float alpha = clamp((1.0 - miss) / soft + 0.5, 0.0, 1.0);
  if (alpha == 0.0)
    discard;
  vec3 hit = origin + (along - sphere.w * sqrt(max(1.0 - miss * miss, 0.0))) * ray;
  vec4 clip = view_projection * vec4(hit, 1.0);
  gl_FragDepth = clip.z / clip.w * 0.5 + 0.5;
  vec3 normal = normalize(hit - sphere.xyz);
  result = vec4(shade(color, hit, normal, 0.05, 0.0), alpha);
}
#endif
