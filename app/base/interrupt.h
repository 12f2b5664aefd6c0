/* Ctrl-C and SIGTERM ask a run to stop after the frame at hand; a second one ends the process at once. */
#ifndef MSD_APP_BASE_INTERRUPT_H
#define MSD_APP_BASE_INTERRUPT_H

void interrupt_install(void);

/* The signal that asked to stop; 0 while none did. */
int interrupt_signal(void);

#endif
