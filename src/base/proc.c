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

enum { KILLED_NAPS = 300 }; /* of 10 ms */

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

/* Waits up to wait_ms for output and takes it; false: there was none. */
static bool take_output(struct stream s[2], int wait_ms)
{
	struct pollfd pf[2] = {{s[0].fd, POLLIN, 0}, {s[1].fd, POLLIN, 0}};
	if (poll(pf, 2, wait_ms) <= 0)
		return false;
	for (int i = 0; i < 2; i++)
		if (pf[i].revents)
			drain(&s[i]);
	return true;
}

struct child {
	pid_t pid;
	long long end; /* of the time it has; 0: no limit */
	bool ended, timed_out, stopped;
	int status;
	int lost; /* errno: its status cannot be had */
};

static pid_t wait_for(struct child *c, int flags)
{
	pid_t w;
	do
		w = waitpid(c->pid, &c->status, flags);
	while (w < 0 && errno == EINTR);
	return w;
}

/*
 * A driver may keep a killed process in the kernel for ever. Then it is left to whoever comes after us, and
 * counts as ended.
 */
static pid_t await_killed(struct child *c)
{
	const struct timespec nap = {.tv_nsec = 10000000};
	pid_t w = 0;
	for (int i = 0; i < KILLED_NAPS && (w = wait_for(c, WNOHANG)) == 0; i++)
		nanosleep(&nap, NULL);
	if (w == 0)
		c->status = SIGKILL;
	return w ? w : c->pid;
}

static void look_after(struct child *c)
{
	pid_t w = wait_for(c, WNOHANG);
	if (w == 0) {
		c->stopped = intr_pending();
		c->timed_out = c->end && now_ms() >= c->end;
		if (c->stopped || c->timed_out) {
			kill(-c->pid, SIGKILL);
			w = await_killed(c);
		}
	}
	if (w < 0)
		c->lost = errno;
	c->ended = w != 0;
}

/*
 * Takes output until the child has ended. It may close its streams and go on, and what it leaves
 * behind may hold them open for ever: its own end is what counts, and what it wrote until then.
 */
static void attend(struct child *c, struct stream s[2])
{
	for (int nap = 1; !c->ended;) {
		int wait = 200;
		if (s[0].fd < 0 && s[1].fd < 0) {
			/* As a rule the streams end with the child: then it is a matter of
			 * microseconds. */
			wait = nap;
			nap = nap < 64 ? nap * 2 : nap;
		}
		long long left = c->end ? c->end - now_ms() : wait;
		take_output(s, left < 0 ? 0 : left < wait ? (int)left : wait);
		look_after(c);
	}
	/* One read takes all that a pipe holds; then there is the end to see. */
	for (int i = 0; i < 2 && take_output(s, 0); i++)
		;
	for (int i = 0; i < 2; i++)
		if (s[i].fd >= 0)
			close(s[i].fd);
}

/* A pipe whose ends are not 0, 1 or 2, which a caller may have closed and which the child is given
 * anew. */
static bool make_pipe(int fds[2])
{
	int low[2];
	if (pipe2(low, O_CLOEXEC) < 0)
		return false;
	for (int i = 0; i < 2; i++)
		fds[i] = low[i] > 2 ? low[i] : fcntl(low[i], F_DUPFD_CLOEXEC, 3);
	int saved = errno;
	for (int i = 0; i < 2; i++)
		if (low[i] <= 2)
			close(low[i]);
	errno = saved;
	if (fds[0] >= 0 && fds[1] >= 0)
		return true;
	attr_close(&fds[0]);
	attr_close(&fds[1]);
	return false;
}

bool proc_run(const struct proc *p, struct proc_result *r, struct err *err)
{
	int out[2], errs[2];
	size_t max = p->max_output ? p->max_output : 1 << 20;
	struct proc_result res = {.out = BUF_INIT(max), .err = BUF_INIT(max)};
	struct child c = {.end = p->deadline_ms ? now_ms() + p->deadline_ms : 0};

	/* Inherited from some supervisors: then the kernel forgets how a child ended. */
	struct sigaction sa;
	if (sigaction(SIGCHLD, NULL, &sa) == 0 && sa.sa_handler == SIG_IGN)
		signal(SIGCHLD, SIG_DFL);
	if (!make_pipe(out))
		return err_sys(err, ERR_FAILED, "cannot create a pipe");
	if (!make_pipe(errs)) {
		err_sys(err, ERR_FAILED, "cannot create a pipe");
		close(out[0]);
		close(out[1]);
		return false;
	}
	int e = spawn(p, out[1], errs[1], &c.pid);
	close(out[1]);
	close(errs[1]);
	if (e) {
		close(out[0]);
		close(errs[0]);
		errno = e;
		return err_sys(err, ERR_FAILED, "cannot run '%s'", p->argv[0]);
	}
	attend(&c, (struct stream[2]){{out[0], &res.out}, {errs[0], &res.err}});
	if (c.stopped || c.lost) {
		proc_result_clear(&res);
		if (c.stopped)
			return err_set(err, ERR_INTERRUPTED, "interrupted");
		errno = c.lost;
		return err_sys(err, ERR_FAILED, "cannot wait for '%s'", p->argv[0]);
	}
	res.status = WIFEXITED(c.status) ? WEXITSTATUS(c.status) : -1;
	res.signal = WIFSIGNALED(c.status) ? WTERMSIG(c.status) : 0;
	res.timed_out = c.timed_out;
	*r = res;
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
