#include "core/store_sync.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static uint64_t n_started, n_ended;
static bool running;
static int failure; /* errno of a sync that failed: what it covered cannot be told, so it stays */

/*
 * syncfs rather than fsync of each file: 1,700 headers would be 1,700 flushes of the disk, and the
 * large files were sent on their way while they were inflated. A sync that began after the caller's
 * last write does for the caller too, so that eight entries that wait cost one or two.
 */
bool store_sync(int fd, const char *path, struct err *err)
{
	pthread_mutex_lock(&mutex);
	uint64_t wanted = n_started + 1;
	while (running && n_ended < wanted)
		pthread_cond_wait(&ended, &mutex);
	if (n_ended < wanted) {
		n_started++;
		running = true;
		pthread_mutex_unlock(&mutex);
		int e = syncfs(fd) < 0 ? errno : 0;
		pthread_mutex_lock(&mutex);
		if (e)
			failure = e;
		running = false;
		n_ended = n_started;
		pthread_cond_broadcast(&ended);
	}
	errno = failure;
	pthread_mutex_unlock(&mutex);
	return errno == 0 || err_sys(err, ERR_FILESYSTEM, "cannot write '%s' to disk", path);
}
