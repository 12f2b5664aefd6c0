/* Clocks of the window, in seconds. */
#ifndef MSD_RENDER_VIEW_CLOCK_H
#define MSD_RENDER_VIEW_CLOCK_H

/* Of real time since some moment; it never goes back. */
double clock_now(void);

/* That the processor spent on the calling thread: others that have it meanwhile do not count. */
double clock_of_thread(void);

#endif
