#pragma once
/* Help, made from the table of commands. */
#include <stdio.h>

struct command;

void help_overview(FILE *to);
void help_command(FILE *to, const struct command *c);
