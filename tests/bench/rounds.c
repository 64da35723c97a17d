/*
 * rounds N NAME FOLDER COMMAND [ARG...] [-- NAME FOLDER COMMAND [ARG...]]...
 * Runs every command once a round in its folder, each round beginning with another one, and prints
 * for each the median of its per-round ratios to the first, its median time, and its page faults
 * (the whole process tree). Ratios, since a machine's mood moves all rows of a round alike;
 * rotation, since a row that follows a heavy one starts with cold caches.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROWS_MAX = 16 };

struct row {
	char *name, *folder, **argv;
	double *seconds;
	long faults;
};

extern char **environ;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double run(struct row *r)
{
	posix_spawn_file_actions_t quiet;
	struct rusage use;
	pid_t pid;
	int status;
	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addchdir_np(&quiet, r->folder);
	double start = now();
	errno = posix_spawn(&pid, r->argv[0], &quiet, NULL, r->argv, environ);
	if (errno || wait4(pid, &status, 0, &use) < 0 || status != 0) {
		fprintf(stderr, "rounds: '%s' failed\n", r->name);
		exit(1);
	}
	double taken = now() - start;
	r->faults = use.ru_minflt;
	posix_spawn_file_actions_destroy(&quiet);
	return taken;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, compare);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static int parse_rows(char **argv, struct row *rows, int rounds)
{
	int n = 0;
	while (*argv) {
		if (n == ROWS_MAX || !argv[1] || !argv[2]) {
			fprintf(stderr, "rounds: at most %d rows NAME FOLDER COMMAND\n", ROWS_MAX);
			exit(2);
		}
		rows[n] = (struct row){.name = argv[0], .folder = argv[1], .argv = argv + 2};
		rows[n++].seconds = calloc((size_t)rounds, sizeof(double));
		for (argv += 2; *argv && strcmp(*argv, "--") != 0;)
			argv++;
		if (*argv)
			*argv++ = NULL;
	}
	return n;
}

static void print_row(const struct row *r, const struct row *base, int rounds)
{
	double *ratio = calloc((size_t)rounds, sizeof *ratio);
	double *copy = calloc((size_t)rounds, sizeof *copy);
	for (int i = 0; i < rounds; i++) {
		ratio[i] = r->seconds[i] / base->seconds[i];
		copy[i] = r->seconds[i];
	}
	printf("%-28s %8.2f %10.2f %8ld\n", r->name, median(ratio, rounds),
	       median(copy, rounds) * 1e3, r->faults);
	free(ratio);
	free(copy);
}

int main(int argc, char **argv)
{
	struct row rows[ROWS_MAX];
	int rounds = argc > 2 ? (int)strtol(argv[1], NULL, 10) : 0;
	if (rounds < 1) {
		fprintf(stderr, "usage: rounds N NAME FOLDER COMMAND [ARG...] [-- NAME ...]...\n");
		return 2;
	}
	int n = parse_rows(argv + 2, rows, rounds);
	for (int i = 0; i < 3 * n; i++)
		run(&rows[i % n]);
	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < n; i++) {
			struct row *r = &rows[(i + round) % n];
			r->seconds[round] = run(r);
		}
	printf("%-28s %8s %10s %8s\n", "row", "ratio", "median ms", "faults");
	for (int i = 0; i < n; i++)
		print_row(&rows[i], &rows[0], rounds);
	return 0;
}
