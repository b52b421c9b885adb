/* help -- what there is, said from the records of the commands. */
#ifndef LH_CLI_HELP_H
#define LH_CLI_HELP_H

#include "cli/cli.h"

const lh_command *lh_command_find(const char *name); /* NULL: there is none */

void lh_help_all(lh_cli *cli);                          /* longhand --help */
void lh_help_command(lh_cli *cli, const lh_command *c); /* longhand run --help */
void lh_help_manual(lh_cli *cli, const lh_command *c);  /* its section of longhand(1), in scdoc */
int lh_help_completion(lh_cli *cli, const char *shell); /* bash (NULL), zsh, fish: completion.c */
int lh_help_steps(lh_cli *cli, const char *lesson);     /* names to complete */

#endif
