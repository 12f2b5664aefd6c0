/* Ctrl-C, SIGTERM and SIGHUP (the terminal is gone) ask a run to stop where it can be continued. A second
   Ctrl-C or SIGTERM ends the process at once. */
#ifndef MSD_APP_BASE_INTERRUPT_H
#define MSD_APP_BASE_INTERRUPT_H

/* What the process was started to ignore stays ignored: SIGHUP by nohup, Ctrl-C in the background of a shell.
   A file that passes the limit on file sizes becomes an error of writing, which leaves time to save what
   there is. */
void interrupt_install(void);

/* The signal that asked to stop; 0 while none did. */
int interrupt_signal(void);

#endif
