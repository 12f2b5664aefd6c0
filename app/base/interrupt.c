#include "app/base/interrupt.h"

#include <signal.h>
#include <stddef.h>

/* A signal handler can reach nothing but an object of static duration. */
static volatile sig_atomic_t received;

static void remember(int signal_number) {
  received = signal_number;
}

void interrupt_install(void) {
  struct sigaction action = {.sa_handler = remember, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

int interrupt_signal(void) {
  return received;
}
