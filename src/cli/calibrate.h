/* calibrate.h - `pistachio calibrate`. */
#ifndef PISTACHIO_CLI_CALIBRATE_H
#define PISTACHIO_CLI_CALIBRATE_H

/* The words behind "calibrate"; returns the program's exit status. */
int cli_calibrate(int count, char **words);

#endif
