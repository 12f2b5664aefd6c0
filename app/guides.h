/* The manual page and the completion of shells, of all commands: `msd --help=man`, bash, zsh or fish. The build
   writes them into files that are installed. */
#ifndef MSD_APP_GUIDES_H
#define MSD_APP_GUIDES_H

/* Returns the exit status. */
int guide_print(const char *style);

#endif
