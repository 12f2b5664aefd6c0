// One pixel for each vertex of the surfaces: its normal, from the triangles around it, and the value that
// colors its particle. Vertex i is at point i; further vertices, at creases, follow after those of all points.
// Points are particles, and behind them vertices of meshes that simpler ones stand for.

// Where the corners of each vertex begin and end, and the links of the particle that it is or is nearest to.
uniform isampler2D fans;
// The point at a corner, and those at the next two corners of the triangle.
uniform isampler2D corners;
// Of springs the particle at the other end, the spring, the bits of the rest length in m, the particle at this
// end; of fibers -1, where its value is, the bits of what makes a force of its tension, the particle.
uniform isampler2D links;
// Their number.
uniform int point_count;

#ifdef VERTEX
#ifdef SOME
// The rows of the target, of which only the pixels of these vertices are drawn.
uniform float rows;
layout(location = 0) in int vertex;

void main() {
  vec2 pixel = vec2(texel(vertex)) + 0.5;
  gl_Position = vec4(2.0 * pixel / vec2(float(ROW), rows) - 1.0, 0.0, 1.0);
  gl_PointSize = 1.0;
}
#else
void main() {
  gl_Position = vec4(triangle_corner(), 0.0, 1.0);
}
#endif
#else
layout(location = 0) out uvec4 result;

// What a spring or fiber adds to the mean that colors a particle.
float link_value(ivec4 link, bool is_force) {
  float measure = intBitsToFloat(link.z);
  if (link.x < 0)
    return texelFetch(values, texel(link.y), 0).r * (is_force ? measure : 1.0);
  return spring_value(link.y, point_of(link.w), point_of(link.x), measure);
}

void main() {
  int i = int(gl_FragCoord.y) * ROW + int(gl_FragCoord.x);
  ivec4 fan = texelFetch(fans, texel(i), 0);
  vec4 here = point_of(i < point_count ? i : texelFetch(corners, texel(fan.x), 0).r);
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
    for (int l = fan.z; l < fan.w; l++)
      value += link_value(texelFetch(links, texel(l), 0), color == COLOR_FORCE);
    value /= float(max(fan.w - fan.z, 1));
  }
  float size = length(normal);
  normal = size > 0.0 ? normal / size : up.xyz;
  result = floatBitsToUint(vec4(normal, value));
}
#endif
