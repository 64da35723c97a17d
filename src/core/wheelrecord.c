#include "core/wheelrecord.h"

#include <stdlib.h>
#include <string.h>

/* 200 bytes a file; a toolkit's largest list has 0.5 MB. */
enum { RECORD_MAX = 64 << 20 };

static bool ends(const char *s, const char *with)
{
	size_t n = strlen(s), w = strlen(with);
	return n >= w && strcmp(s + n - w, with) == 0;
}

/* "<name>.dist-info/RECORD", no deeper. */
static bool is_record(const char *name)
{
	const char *slash = strchr(name, '/');
	return slash && strcmp(slash, "/RECORD") == 0 && ends(name, ".dist-info/RECORD");
}

/* What cannot list itself: the list and its signatures. */
static bool is_exempt(const char *name, const char *record)
{
	size_t n = strlen(record);
	return strncmp(name, record, n) == 0 &&
	       (!name[n] || !strcmp(name + n, ".jws") || !strcmp(name + n, ".p7s"));
}

/*
 * One field of a line, unquoted in place. *s moves behind its end; *last: it ends the line. NULL:
 * malformed.
 */
static char *next_field(char **s, bool *last)
{
	char *from = *s, *start = from, *to = from;
	if (*from == '"') {
		for (from++; *from && (*from != '"' || from[1] == '"'); from++) {
			if (*from == '"')
				from++;
			*to++ = *from;
		}
		if (*from++ != '"')
			return NULL;
	} else {
		from += strcspn(from, ",\"\r\n");
		to = from;
	}
	if (*from == '\r' && from[1] == '\n')
		from++;
	if (*from && *from != ',' && *from != '\n')
		return NULL;
	*last = *from != ',';
	*s = from + (*from != '\0');
	*to = '\0';
	return start;
}

static int base64url(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	const char *at = c ? strchr(digits, c) : NULL;
	return at ? (int)(at - digits) : -1;
}

/* 43 digits of base64url without padding to 64 hexadecimal ones. */
static bool decode_sha256(const char *s, char *hex)
{
	static const char digits[] = "0123456789abcdef";
	uint32_t bits = 0;
	int have = 0, n = 0;
	if (strlen(s) != 43)
		return false;
	for (; *s; s++) {
		int v = base64url(*s);
		if (v < 0)
			return false;
		bits = bits << 6 | (uint32_t)v;
		for (have += 6; have >= 4 && n < 64; n++) {
			have -= 4;
			hex[n] = digits[bits >> have & 15];
		}
	}
	hex[n] = '\0';
	return (bits & ((1u << have) - 1)) == 0;
}

static bool size_is(const char *s, uint64_t size)
{
	char *end;
	if (*s < '0' || *s > '9' || strlen(s) > 19)
		return false;
	return strtoull(s, &end, 10) == size && !*end;
}

struct reader {
	struct zip *z;
	const char *archive, *record;
	const struct zip_entry *entries;
	size_t n;
	wheel_sha256 *sha;
};

static bool bad(const struct reader *r, struct err *err, const char *name, const char *why)
{
	return err_set(err, ERR_INTEGRITY, "'%s': '%.300s' %s", r->archive, name, why);
}

static bool check_line(const struct reader *r, const char *name, const char *hash, const char *size,
		       struct err *err)
{
	const struct zip_entry *e = zip_find(r->z, name);
	if (!e)
		return bad(r, err, name, "is listed in RECORD but is not there");
	if (is_exempt(name, r->record))
		return true;
	char *sha = r->sha[e - r->entries];
	if (sha[0])
		return bad(r, err, name, "is listed in RECORD twice");
	if (!size_is(size, e->size))
		return bad(r, err, name, "has another size than RECORD says");
	if (strncmp(hash, "sha256=", 7) != 0 || !decode_sha256(hash + 7, sha))
		return bad(r, err, name, "has no sha256 in RECORD");
	return true;
}

static bool read_lines(const struct reader *r, char *s, struct err *err)
{
	for (int line = 1; *s; line++) {
		char *field[3];
		size_t n = 0;
		bool last = false;
		for (; n < ARRAY_LEN(field) && !last; n++)
			if (!(field[n] = next_field(&s, &last)))
				break;
		if (n != ARRAY_LEN(field) || !last)
			return err_set(err, ERR_INTEGRITY, "'%s': '%s' line %d is malformed",
				       r->archive, r->record, line);
		if (!check_line(r, field[0], field[1], field[2], err))
			return false;
	}
	for (size_t i = 0; i < r->n; i++) {
		const char *name = r->entries[i].name;
		if (!r->sha[i][0] && !ends(name, "/") && !is_exempt(name, r->record))
			return bad(r, err, name, "is not listed in RECORD");
	}
	return true;
}

static bool find_record(const struct reader *r, const struct zip_entry **out, struct err *err)
{
	*out = NULL;
	for (size_t i = 0; i < r->n; i++) {
		if (!is_record(r->entries[i].name))
			continue;
		if (*out)
			return bad(r, err, r->entries[i].name, "is a second RECORD");
		*out = &r->entries[i];
	}
	if (!*out)
		return err_set(err, ERR_INTEGRITY, "'%s' is no wheel: it has no RECORD",
			       r->archive);
	return true;
}

bool wheelrecord_read(struct zip *z, const char *archive, wheel_sha256 **out, struct err *err)
{
	struct reader r = {.z = z, .archive = archive};
	const struct zip_entry *e;
	autobuf struct buf text = BUF_INIT(RECORD_MAX);
	r.n = zip_entries(z, &r.entries);
	if (!find_record(&r, &e, err) || !zip_read(z, e, &text, err))
		return false;
	r.record = e->name;
	if (text.len && memchr(text.data, '\0', text.len))
		return bad(&r, err, r.record, "has NUL bytes");
	autofree wheel_sha256 *sha = xcalloc(r.n, sizeof *sha);
	r.sha = sha;
	if (text.len && !read_lines(&r, text.data, err))
		return false;
	*out = take_ptr(sha);
	return true;
}
