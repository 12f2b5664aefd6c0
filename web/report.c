#include "web/report.h"

#include "app/report/stability_report.h"

#include <stdio.h>
#include <stdlib.h>

const char *web_keep(char *text) {
  static char *kept;
  free(kept);
  kept = text;
  return kept != NULL ? kept : "{\"error\":\"out of memory\"}";
}

/* The stability section of msd info; NULL if memory runs out. */
static char *paragraph(const scene *s, const stability_report *report) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (stream == NULL)
    return NULL;
  stability_report_print(s, report, stream);
  if (fclose(stream) == 0)
    return text;
  free(text);
  return NULL;
}

char *web_report(const scene *s) {
  stability_report report;
  problem p;
  json_t *object = json_object();
  if (!stability_report_make(s, false, &report, &p)) {
    json_object_set_new(object, "error", json_string(p.text));
  } else {
    char *text = paragraph(s, &report);
    int failed = stability_report_json(s, &report, object);
    failed |= json_object_set_new(object, "frame_time", json_real(s->frame_time));
    failed |= json_object_set_new(object, "text", json_string(text != NULL ? text : ""));
    free(text);
    if (failed)
      json_object_clear(object);
  }
  char *json = json_dumps(object, 0);
  json_decref(object);
  return json;
}
