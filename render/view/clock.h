/* Clocks of the window, in seconds. */
#ifndef MSD_RENDER_VIEW_CLOCK_H
#define MSD_RENDER_VIEW_CLOCK_H

/* Of real time since some moment; it never goes back. */
double clock_now(void);

#endif
