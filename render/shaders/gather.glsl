// One pixel for each vertex of the surfaces: its normal from the triangles around it, and the value that
// colours its particle. Those that are numbered as the particles come first, further ones of particles at
// creases behind them.

uniform isampler2D fans;    // where the corners of each vertex and the links of each particle begin and end
uniform isampler2D corners; // the particle at a corner, and those at the next two of the triangle
uniform isampler2D links;   // the other end, the spring, the bits of the rest length in m
uniform int particles;      // their number

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
  vec3 normal = vec3(0.0); // the sum weighs each triangle by its area
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
