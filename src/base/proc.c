#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/intr.h"

extern char **environ;

struct stream {
	int fd;
	struct buf *out;
};

static long long now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int spawn(const struct proc *p, int out, int errfd, pid_t *pid)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t attr;
	sigset_t none, all;
	posix_spawn_file_actions_init(&fa);
	posix_spawnattr_init(&attr);
	posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, out, 1);
	posix_spawn_file_actions_adddup2(&fa, errfd, 2);
	if (p->cwd)
		posix_spawn_file_actions_addchdir_np(&fa, p->cwd);
	/* Its own group, so that the deadline also ends what it started; default signals. */
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
						POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	int e = posix_spawnp(pid, p->argv[0], &fa, &attr, (char *const *)(uintptr_t)p->argv,
			     p->env ? (char *const *)(uintptr_t)p->env : environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&fa);
	return e;
}

/* Reads what is there; closes at the end of the stream. What is over the maximum is dropped. */
static void drain(struct stream *s)
{
	char chunk[65536];
	ssize_t n = read(s->fd, chunk, sizeof chunk);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		close(s->fd);
		s->fd = -1;
		return;
	}
	size_t room = s->out->max - s->out->len;
	if ((size_t)n > room)
		s->out->full = true;
	buf_add(s->out, chunk, (size_t)n < room ? (size_t)n : room);
}

/* Collects output until both streams end, the deadline passes or a signal comes. */
static void collect(const struct proc *p, struct stream s[2], pid_t pid, struct proc_result *r,
		    bool *stopped)
{
	long long end = p->deadline_ms ? now_ms() + p->deadline_ms : 0;
	while (s[0].fd >= 0 || s[1].fd >= 0) {
		struct pollfd pf[2] = {{s[0].fd, POLLIN, 0}, {s[1].fd, POLLIN, 0}};
		long long left = end ? end - now_ms() : 200;
		if (intr_pending())
			*stopped = true;
		if (end && left <= 0)
			r->timed_out = true;
		if (*stopped || r->timed_out) {
			kill(-pid, SIGKILL);
			break;
		}
		if (poll(pf, 2, left > 200 ? 200 : (int)left) <= 0)
			continue;
		for (int i = 0; i < 2; i++)
			if (pf[i].revents)
				drain(&s[i]);
	}
	for (int i = 0; i < 2; i++)
		if (s[i].fd >= 0)
			close(s[i].fd);
}

/* A child may close its streams and go on: the deadline holds for the wait as well. */
static int wait_for(const struct proc *p, pid_t pid, struct proc_result *r, bool *stopped)
{
	long long end = p->deadline_ms ? now_ms() + p->deadline_ms : 0;
	int status = 0;
	for (;;) {
		bool killed = *stopped || r->timed_out;
		pid_t w = waitpid(pid, &status, killed ? 0 : WNOHANG);
		if (w == pid)
			return status;
		if (w < 0 && errno != EINTR)
			return 0;
		if (w == 0) {
			if (intr_pending())
				*stopped = true;
			else if (end && now_ms() >= end)
				r->timed_out = true;
			if (*stopped || r->timed_out)
				kill(-pid, SIGKILL);
			else
				nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
		}
	}
}

bool proc_run(const struct proc *p, struct proc_result *r, struct err *err)
{
	int out[2], errs[2];
	pid_t pid;
	size_t max = p->max_output ? p->max_output : 1 << 20;
	bool stopped = false;

	if (pipe2(out, O_CLOEXEC) < 0)
		return err_sys(err, ERR_FAILED, "cannot create a pipe");
	if (pipe2(errs, O_CLOEXEC) < 0) {
		err_sys(err, ERR_FAILED, "cannot create a pipe");
		close(out[0]);
		close(out[1]);
		return false;
	}
	int e = spawn(p, out[1], errs[1], &pid);
	close(out[1]);
	close(errs[1]);
	if (e) {
		close(out[0]);
		close(errs[0]);
		errno = e;
		return err_sys(err, ERR_FAILED, "cannot run '%s'", p->argv[0]);
	}
	*r = (struct proc_result){.out = BUF_INIT(max), .err = BUF_INIT(max)};
	struct stream s[2] = {{out[0], &r->out}, {errs[0], &r->err}};
	collect(p, s, pid, r, &stopped);
	int status = wait_for(p, pid, r, &stopped);
	r->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	r->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	if (stopped) {
		proc_result_clear(r);
		return err_set(err, ERR_INTERRUPTED, "interrupted");
	}
	return true;
}

void proc_result_clear(struct proc_result *r)
{
	buf_clear(&r->out);
	buf_clear(&r->err);
	*r = (struct proc_result){0};
}

const char *proc_result_words(const struct proc_result *r, char *out, size_t cap)
{
	if (r->timed_out)
		snprintf(out, cap, "no end before the deadline");
	else if (r->signal)
		snprintf(out, cap, "killed by signal %d (%s)", r->signal, strsignal(r->signal));
	else
		snprintf(out, cap, "exit status %d", r->status);
	return out;
}
