/* stb_image, compiled once: it takes longer than the tests that read pictures with it. */
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#include <stb/stb_image.h>
