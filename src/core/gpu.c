#include "core/gpu.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/intr.h"
#include "core/gpu_ask.h"
#include "core/gpulib.h"
#include "core/host.h"

/*
 * A machine of eight GPUs without the persistence daemon needs some ten seconds. A child that is killed
 * while the kernel works for it does not end at once, or never: it is not waited for beyond a second.
 */
enum { DEADLINE_MS = 60000, NAP_MS = 200, AFTERMATH_MS = 1000 };

static bool may_open(const char *root, const char *node)
{
	autofree char *path = xasprintf("%s/dev/%s", root, node);
	return access(path, R_OK | W_OK) == 0;
}

/* /dev/nvidia0, but not /dev/nvidia-uvm. */
static int count_nodes(const char *root)
{
	int n = 0;
	autofree char *path = xasprintf("%s/dev", root);
	autodir DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));)
		n += !strncmp(e->d_name, "nvidia", 6) && isdigit((unsigned char)e->d_name[6]);
	return n;
}

static _Noreturn void child(struct gpus *g, const struct gpu_places *at, pid_t parent)
{
	const struct rlimit none = {0};
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		signal(signals[i], SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setrlimit(RLIMIT_CORE, &none);
	/* Drivers print; nothing of it belongs into our output. */
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; null >= 0 && fd <= 2; fd++)
		dup2(null, fd);
	gpu_ask(g, at);
	_exit(0);
}

static long long now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Waits for the end of the pipe whose other end the child holds; false: the deadline passed. */
static bool await(int fd, long long end)
{
	struct pollfd p = {fd, POLLIN, 0};
	for (long long left; (left = end - now_ms()) > 0 && !intr_pending();)
		if (poll(&p, 1, left < NAP_MS ? (int)left : NAP_MS) > 0)
			return true;
	return false;
}

static bool reap(pid_t pid, int *status, int flags)
{
	pid_t w;
	do
		w = waitpid(pid, status, flags);
	while (w < 0 && errno == EINTR);
	return w == pid;
}

static void attend(struct gpus *g, pid_t pid, int fd, int deadline_ms)
{
	int status = 0;
	if (await(fd, now_ms() + deadline_ms)) {
		if (reap(pid, &status, 0) && WIFSIGNALED(status)) {
			g->end = GPUS_CRASHED;
			g->signal = WTERMSIG(status);
		}
		return;
	}
	g->end = intr_pending() ? GPUS_NOT_ASKED : GPUS_HUNG;
	kill(pid, SIGKILL);
	struct pollfd p = {fd, POLLIN, 0};
	if (poll(&p, 1, AFTERMATH_MS) > 0)
		reap(pid, &status, 0);
}

/* The child writes into memory that both have, so that what it learnt before a hang is not lost. */
static void ask(struct gpus *shared, const struct gpu_places *at)
{
	int fds[2];
	shared->end = GPUS_NOT_ASKED;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return;
	pid_t parent = getpid(), pid = fork();
	if (pid == 0) {
		close(fds[0]);
		child(shared, at, parent);
	}
	close(fds[1]);
	if (pid > 0) {
		shared->end = GPUS_TOLD;
		attend(shared, pid, fds[0], at->deadline_ms);
	}
	close(fds[0]);
}

/* A child that hangs may still write: what is taken has its ends and bounds. */
static void take(struct gpus *g, const struct gpus *shared)
{
	*g = *shared;
	g->step[sizeof g->step - 1] = g->libcuda[PATH_MAX - 1] = g->stub[PATH_MAX - 1] = '\0';
	g->why[sizeof g->why - 1] = g->libnvml[PATH_MAX - 1] = '\0';
	g->nvml_driver[sizeof g->nvml_driver - 1] = '\0';
	if (g->n > GPUS_MAX)
		g->n = GPUS_MAX;
	for (size_t i = 0; i < g->n; i++) {
		struct gpu *d = &g->items[i];
		d->name[sizeof d->name - 1] = d->uuid[sizeof d->uuid - 1] = '\0';
		d->pci[sizeof d->pci - 1] = '\0';
	}
}

void gpu_probe_at(struct gpus *g, const struct gpu_places *at)
{
	struct gpus *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED) {
		*g = (struct gpus){.end = GPUS_NOT_ASKED, .code = -1, .nvml_code = -1};
	} else {
		shared->code = shared->nvml_code = -1;
		ask(shared, at);
		take(g, shared);
		munmap(shared, sizeof *shared);
	}
	if (!host_kernel_driver(at->root, g->driver, sizeof g->driver))
		g->driver[0] = '\0';
	g->node_ctl = may_open(at->root, "nvidiactl");
	g->node_uvm = may_open(at->root, "nvidia-uvm");
	g->nodes = count_nodes(at->root);
}

static void probe(struct gpus *g, bool quick)
{
	gpu_probe_at(g, &(struct gpu_places){.root = "",
					     .libcuda = gpulib_cuda,
					     .libnvml = gpulib_nvml,
					     .deadline_ms = DEADLINE_MS,
					     .quick = quick});
}

void gpu_probe(struct gpus *g)
{
	probe(g, false);
}

void gpu_probe_quick(struct gpus *g)
{
	probe(g, true);
}

size_t gpu_visible(const struct gpus *g)
{
	size_t n = 0;
	for (size_t i = 0; i < g->n; i++)
		n += g->items[i].ordinal >= 0;
	return n;
}
