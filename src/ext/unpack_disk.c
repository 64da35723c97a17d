#include <fcntl.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/flush.h"
#include "ext/unpack_priv.h"

enum { TOGETHER = 4 << 20 };

static void *flush(void *arg)
{
	struct unpack_disk *d = arg;
	/* A descriptor of its own: what cannot be written is told once to each that was open before. */
	autoclose int fd = openat(d->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d->alone = fd < 0 || !flush_all(fd, TOGETHER);
	atomic_store(&d->flushed, true);
	return NULL;
}

/* Small files go together: some now, while the next are unpacked, the rest when all is published. */
void unpack_disk_send(struct unpack_disk *d, int fd, uint64_t size)
{
	if (size >= FLUSH_SMALL || d->alone) {
		sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
		return;
	}
	d->small += size;
	if (d->small < TOGETHER || (d->flushing && !atomic_load(&d->flushed)))
		return;
	unpack_disk_end(d);
	d->small = 0;
	atomic_store(&d->flushed, false);
	d->flushing = pthread_create(&d->flusher, NULL, flush, d) == 0;
}

void unpack_disk_end(struct unpack_disk *d)
{
	if (d->flushing)
		pthread_join(d->flusher, NULL);
	d->flushing = false;
}
