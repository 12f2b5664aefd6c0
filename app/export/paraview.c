/* A script for ParaView, as text of Python: opens SCENE.pvd as one animation, colored by body, with lines and
   loose points that can be seen. ParaView saves a state of its own from there. */
#include "app/export/formats.h"

#include <string.h>

/* A string of Python. */
static void put_string(FILE *stream, const char *text) {
  fputc('"', stream);
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\')
      fputc('\\', stream);
    if ((unsigned char)*text < ' ')
      fprintf(stream, "\\x%02x", (unsigned char)*text);
    else
      fputc(*text, stream);
  }
  fputc('"', stream);
}

void export_paraview(FILE *stream, const export_series *series) {
  fprintf(stream,
          "# Opens the animation in ParaView: paraview --script=FILE, or pvpython FILE. Written by msd %s.\n"
          "import os\n"
          "from paraview.simple import *\n\n"
          "try:\n"
          "    folder = os.path.dirname(os.path.abspath(__file__))\n"
          "except NameError:  # in the window, where a script is text\n"
          "    folder = os.getcwd()\n"
          "name = ",
          msd_version());
  put_string(stream, series->name);
  fputs("\n"
        "run = PVDReader(registrationName=name, FileName=os.path.join(folder, name + \".pvd\"))\n"
        "GetAnimationScene().UpdateAnimationUsingDataTimeSteps()\n"
        "view = GetActiveViewOrCreate(\"RenderView\")\n"
        "display = Show(run, view)\n"
        "display.Representation = \"Surface\"\n"
        "display.LineWidth = 3\n"
        "display.PointSize = 8\n"
        "ColorBy(display, (\"CELLS\", \"body\"))\n"
        "view.CameraViewUp = [0, 1, 0]\n"
        "view.CameraPosition = [3, 2, 10]\n"
        "view.CameraFocalPoint = [0, 0, 0]\n"
        "ResetCamera(view)\n"
        "Render(view)\n",
        stream);
}
