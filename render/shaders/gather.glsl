// One pixel for each vertex of the surfaces: its normal, from the triangles around it, and the value that
// colours its particle. Vertex i is at particle i; further vertices, at creases, follow after those of all
// particles.

// Where the corners of each vertex begin and end, and the links of each particle.
uniform isampler2D fans;
// The particle at a corner, and those at the next two corners of the triangle.
uniform isampler2D corners;
// The particle at the other end, the spring, the bits of the rest length in m.
uniform isampler2D links;
// The number of particles.
uniform int particles;

#ifdef VERTEX
void main() {
  gl_Position = vec4(triangle_corner(), 0.0, 1.0);
}
#else
layout(location = 0) out uvec4 result;

void main() {
  int i = int(gl_FragCoord.y) * ROW + int(gl_FragCoord.x);
  ivec4 fan = texelFetch(fans, texel(i), 0);
  vec4 here = point_of(i < particles ? i : texelFetch(corners, texel(fan.x), 0).r);
  // The sum weighs each triangle by its area.
  vec3 normal = vec3(0.0);
  for (int c = fan.x; c < fan.y; c++) {
    ivec3 corner = texelFetch(corners, texel(c), 0).rgb;
    normal += cross(point_of(corner.y).xyz - here.xyz, point_of(corner.z).xyz - here.xyz);
  }
  int color = int(coloring.y);
  float value = here.w;
  if (color == COLOR_STRAIN || color == COLOR_FORCE) {
    value = 0.0;
    for (int l = fan.z; l < fan.w; l++) {
      ivec3 link = texelFetch(links, texel(l), 0).rgb;
      value += spring_value(link.y, here, point_of(link.x), intBitsToFloat(link.z));
    }
    value /= float(max(fan.w - fan.z, 1));
  }
  float size = length(normal);
  normal = size > 0.0 ? normal / size : up.xyz;
  result = floatBitsToUint(vec4(normal, value));
}
#endif
