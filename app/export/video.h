/* Films of pictures, through the program ffmpeg. */
#ifndef MSD_APP_EXPORT_VIDEO_H
#define MSD_APP_EXPORT_VIDEO_H

#include "app/base/message.h"

#include <stddef.h>
#include <stdint.h>

typedef struct video video;

/* Begins a film of frames of this size in `path`, whose ending (".mp4") says the format. It is written beside
   that as NAME.part.ENDING, and video_close renames it. NULL with *p filled when ffmpeg is not installed or
   the name has no ending. */
video *video_open(const char *path, int width, int height, double frames_per_second, problem *p);

/* Adds a frame: rows from the top, 3 bytes for each pixel. False with *p filled when ffmpeg has exited. */
bool video_write(video *v, const uint8_t *pixels, problem *p);

/* Waits until the film is complete and renames it. False, with nothing left behind, when ffmpeg failed. */
bool video_close(video *v, problem *p);

/* Ends without a film; NULL is allowed. */
void video_abandon(video *v);

#endif
