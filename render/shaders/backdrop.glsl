// The background: paler towards the horizon, a little darker in the corners.

#ifdef VERTEX
// -1..1 over the picture.
out vec2 at;

void main() {
  at = triangle_corner();
  gl_Position = vec4(at, 1.0, 1.0);
}
#else
in vec2 at;
layout(location = 0) out vec4 result;

void main() {
  vec3 color = mix(vec3(0.955, 0.955, 0.950), vec3(0.835, 0.872, 0.905), smoothstep(-0.6, 1.1, at.y));
  result = vec4(color * (1.0 - 0.045 * dot(at, at) * 0.5), 1.0);
}
#endif
