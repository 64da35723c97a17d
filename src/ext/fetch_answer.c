/* The answer as it arrives: is it the file that was asked for, and where does it go. */
#include "ext/fetch_transfer.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/intr.h"
#include "ext/fetch_part.h"
#include "ext/http.h"

enum { MAX_DROPPED = 64 * 1024 }; /* of an error page; the connection is of use again after it */

void transfer_new_answer(struct transfer *t)
{
	t->judged = t->drop = t->head_seen = t->stored = t->encoded = false;
	t->head_n = 0;
	t->dropped = 0;
	t->retry_after = 0;
	t->result = TRANSFER_DONE;
	t->errbuf[0] = '\0';
	free(take_ptr(t->content_range));
	if (t->body) {
		t->body->len = 0;
		t->body->full = false;
	}
}

long transfer_status(struct transfer *t)
{
	long status = 0;
	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	return status;
}

size_t transfer_on_header(char *line, size_t size, size_t n, void *user)
{
	struct transfer *t = user;
	char *v;
	n *= size;
	if (n >= 5 && !memcmp(line, "HTTP/", 5)) {
		free(take_ptr(t->content_range));
		t->encoded = false;
	} else if ((v = http_header(line, n, "content-range"))) {
		free(t->content_range);
		t->content_range = v;
	} else if ((v = http_header(line, n, "content-encoding"))) {
		t->encoded = *v && strcasecmp(v, "identity") != 0;
		free(v);
	}
	return n;
}

/* Is what follows the rest of the part? */
static bool judge_range(struct transfer *t)
{
	struct content_range r;
	if (!t->offset && !t->end)
		return transfer_fail(t, TRANSFER_REFUSED, ERR_NETWORK,
				     "server sent a part where the whole was asked for");
	if (!t->content_range || !http_content_range(t->content_range, &r) ||
	    r.first != t->offset || r.total == UINT64_MAX || (t->size && r.total != t->size))
		return transfer_fail(t, TRANSFER_FRESH, ERR_NETWORK,
				     "server answers the request for bytes from %llu with '%s'",
				     (unsigned long long)t->offset,
				     t->content_range ? t->content_range : "no Content-Range");
	return true;
}

static bool judge_length(struct transfer *t)
{
	curl_off_t told = -1;
	long status = transfer_status(t);
	curl_easy_getinfo(t->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &told);
	if (told < 0 || (told == 0 && !status) || status == 206)
		return true; /* a file:// device has no length */
	uint64_t length = (uint64_t)told;
	if (t->size && length != t->size) {
		/* A mirror in the middle of an update sends too little; what is too long stays so.
		 */
		transfer_fail(t, length > t->size || t->encoded ? TRANSFER_REFUSED : TRANSFER_RETRY,
			      ERR_INTEGRITY, "server offers %llu bytes, expected are %llu%s",
			      (unsigned long long)length, (unsigned long long)t->size,
			      t->encoded ? " (it compresses the archive once more)" : "");
		return err_hint(&t->err, "the publisher may have replaced the file");
	}
	if (length > t->max)
		return transfer_fail(t, TRANSFER_REFUSED, ERR_INTEGRITY,
				     "server offers %llu bytes, more than the limit of %llu",
				     (unsigned long long)length, (unsigned long long)t->max);
	return true;
}

static bool html_page(struct transfer *t)
{
	transfer_fail(t, TRANSFER_REFUSED, ERR_NETWORK, "server sent an HTML page (login needed?)");
	return err_hint(&t->err,
			"open the URL in a browser, or give credentials in it or in ~/.netrc");
}

/* Once for each answer, when its headers are complete. */
static bool judge(struct transfer *t)
{
	char *type = NULL;
	long status = transfer_status(t);
	t->judged = true;
	t->drop = status && status != 200 && !(status == 206 && t->part);
	if (t->drop || !t->part)
		return true;
	curl_easy_getinfo(t->easy, CURLINFO_CONTENT_TYPE, &type);
	if (http_html_type(type))
		return html_page(t);
	if (t->encoded && !t->digest_known)
		return transfer_fail(t, TRANSFER_REFUSED, ERR_INTEGRITY,
				     "server compresses the archive once more");
	if (status == 206) {
		t->head_seen = t->offset > 0;
		return judge_range(t);
	}
	return true;
}

static bool too_long(struct transfer *t, uint64_t limit)
{
	transfer_fail(t, TRANSFER_REFUSED, ERR_INTEGRITY, "server sends more than %s%llu bytes",
		      t->size ? "the expected " : "", (unsigned long long)limit);
	return err_hint(&t->err, t->size ? "the publisher may have replaced the file"
					 : "that is not what belongs there: take another mirror");
}

static bool store(struct transfer *t, const char *data, size_t n)
{
	if (t->body)
		return buf_add(t->body, data, n) || too_long(t, t->body->max);
	uint64_t limit = t->size ? t->size : t->max;
	if (n > limit - t->part->len)
		return too_long(t, limit);
	t->stored = true;
	if (part_write(t->part, data, n, &t->err))
		return true;
	t->result = TRANSFER_FATAL;
	return false;
}

/* The first bytes are clear: from here on the old part is gone. */
static bool open_body(struct transfer *t)
{
	t->head_seen = true;
	if (t->part && http_html_body(t->head, t->head_n))
		return html_page(t);
	if (t->part && !judge_length(t))
		return false;
	if (t->part && t->part->len && !part_reset(t->part, &t->err)) {
		t->result = TRANSFER_FATAL;
		return false;
	}
	return store(t, t->head, t->head_n);
}

static bool take(struct transfer *t, const char *data, size_t n)
{
	if (!t->judged && !judge(t))
		return false;
	if (t->drop) {
		t->dropped += n;
		return t->dropped <= MAX_DROPPED;
	}
	if (!t->head_seen) {
		size_t room = sizeof t->head - t->head_n, now = n < room ? n : room;
		memcpy(t->head + t->head_n, data, now);
		t->head_n += now;
		if (now == room && !open_body(t))
			return false;
		data += now;
		n -= now;
	}
	return n == 0 || store(t, data, n);
}

size_t transfer_on_body(char *data, size_t size, size_t n, void *user)
{
	struct transfer *t = user;
	n *= size;
	/* file:// arrives in one call of curl, so the loop cannot look for signals. */
	if (!intr_check(&t->err)) {
		t->result = TRANSFER_FATAL;
		return n + 1;
	}
	return take(t, data, n) ? n : n + 1;
}

static bool short_body(struct transfer *t)
{
	transfer_fail(t, TRANSFER_RETRY, ERR_INTEGRITY, "file ends after %llu of %llu bytes",
		      (unsigned long long)t->part->len, (unsigned long long)t->size);
	return err_hint(&t->err, "the publisher may have replaced the file");
}

bool transfer_finish_body(struct transfer *t, long status)
{
	if (!t->judged && !judge(t))
		return false;
	if ((t->offset || t->end) && status == 416)
		return transfer_fail(t, TRANSFER_FRESH, ERR_NETWORK,
				     "server has no bytes from %llu on",
				     (unsigned long long)t->offset);
	if (t->drop)
		return transfer_fail_status(t, status);
	if (!t->head_seen && !open_body(t))
		return false;
	if (t->part && t->part->len < t->size && status == 206 && t->part->len == t->end)
		t->result = TRANSFER_TURN;
	else if (t->part && t->part->len < t->size)
		return short_body(t);
	if (t->part && t->part->len == 0)
		return transfer_fail(t, TRANSFER_RETRY, ERR_INTEGRITY, "server sent an empty file");
	return true;
}

void transfer_keep_body(struct transfer *t)
{
	if (t->part && !t->part->len && t->head_n && !t->head_seen)
		open_body(t);
}
