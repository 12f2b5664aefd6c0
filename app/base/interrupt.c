#include "app/base/interrupt.h"

#include <signal.h>
#include <stddef.h>

/* A signal handler can reach nothing but an object of static duration. */
static volatile sig_atomic_t received;

static void remember(int signal_number) {
  received = signal_number;
}

static void install(int signal_number, int flags) {
  struct sigaction inherited, action = {.sa_handler = remember, .sa_flags = SA_RESTART | flags};
  sigemptyset(&action.sa_mask);
  if (sigaction(signal_number, NULL, &inherited) == 0 && inherited.sa_handler != SIG_IGN)
    sigaction(signal_number, &action, NULL);
}

void interrupt_install(void) {
  install(SIGINT, (int)SA_RESETHAND);
  install(SIGTERM, (int)SA_RESETHAND);
  install(SIGHUP, 0); /* a closing terminal and its shell send one each */
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  sigemptyset(&ignore.sa_mask);
  sigaction(SIGXFSZ, &ignore, NULL);
}

int interrupt_signal(void) {
  return received;
}
