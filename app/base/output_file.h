/* Files that appear whole or not at all: written as NAME.part beside their place and renamed at the end.
   NAME.part is always made anew, never written through a link, a pipe or a file that somebody else has put
   there. */
#ifndef MSD_APP_BASE_OUTPUT_FILE_H
#define MSD_APP_BASE_OUTPUT_FILE_H

#include "app/base/message.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct output_file {
  /* NULL when not open. */
  FILE *stream;
  /* Where it will stand. */
  char *path;
  /* Where it is written. */
  char *part;
  /* Of the stream, which a library that is told a size alone may make as small as it likes; NULL: that. */
  char *buffer;
  /* PATH.part was there before, and is not ours to remove. */
  bool inherited;
} output_file;

/* Whether a file can be written at `path`: not a folder, not a device, in a folder that exists and can be
   written. Leaves everything as it was. */
bool output_file_check(const char *path, problem *p);

/* Whether two paths mean one file, which need not be there yet. */
bool output_file_same(const char *a, const char *b);

/* Whether files can be written in the folder `path`, which is made when only the last part of it is
   missing. */
bool output_folder_prepare(const char *path, problem *p);

/* Opens a new, empty PATH.part, and removes one that an earlier run has left. */
bool output_file_open(output_file *file, const char *path, problem *p);

/* The same as NAME.part.ENDING, for programs that choose a format by the ending. */
bool output_file_open_with_ending(output_file *file, const char *path, problem *p);

/* Opens PATH.part for reading and writing with what an earlier run left: its unfinished PATH.part, else a
   copy of its PATH. *found is false when there was neither, and the file then is new and empty. */
bool output_file_continue(output_file *file, const char *path, bool *found, problem *p);

/* Cuts the file after `length` bytes and continues writing there. */
bool output_file_cut(output_file *file, long long length, problem *p);

/* Hands everything written so far to the system, so that it survives the end of this process. */
bool output_file_flush(output_file *file, problem *p);

/* Renames PATH.part to PATH and closes. With `durable` the bytes are on the disk before the rename is. On
   failure PATH is as it was before. */
bool output_file_commit(output_file *file, bool durable, problem *p);

/* Closes, and removes PATH.part unless it was inherited; nothing to do when it is not open. */
void output_file_discard(output_file *file);

#endif
