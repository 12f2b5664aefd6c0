/* Clocks, in seconds. */
#ifndef MSD_RENDER_VIEW_CLOCK_H
#define MSD_RENDER_VIEW_CLOCK_H

/* Real time since some moment in the past; it never goes back. */
double clock_now(void);

/* Processor time of the calling thread: time that other threads and programs take does not count. */
double clock_of_thread(void);

#endif
