#include "cli/term.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/attr.h"

bool term_fancy(int fd)
{
	const char *term = getenv("TERM");
	return isatty(fd) && term && term[0] && strcmp(term, "dumb") != 0;
}

bool term_color(int fd)
{
	const char *no = getenv("NO_COLOR");
	return term_fancy(fd) && !(no && no[0]);
}

bool term_foreground(int fd)
{
	return tcgetpgrp(fd) == getpgrp();
}

int term_width(int fd)
{
	struct winsize w;
	return ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : 80;
}

int term_height(int fd)
{
	struct winsize w;
	return ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_row ? w.ws_row : 24;
}

/* One character of UTF-8; a byte that begins none stands for itself. Returns its bytes. */
static size_t decode(const char *s, uint32_t *out)
{
	unsigned char c = (unsigned char)s[0];
	size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
	*out = n == 1 ? c : c & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80) {
			*out = c;
			return 1;
		}
		*out = *out << 6 | ((unsigned char)s[i] & 0x3f);
	}
	return n;
}

/* Ranges whose characters take no column, or two: enough for names of files, not all of Unicode. */
static int char_width(uint32_t c)
{
	static const struct {
		uint32_t first, last;
		int width;
	} ranges[] = {
		{0x0300, 0x036f, 0},   {0x200b, 0x200f, 0},   {0x20d0, 0x20ff, 0},
		{0xfe00, 0xfe0f, 0},   {0x1100, 0x115f, 2},   {0x2e80, 0x303e, 2},
		{0x3041, 0xa4cf, 2},   {0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2},
		{0xfe30, 0xfe6f, 2},   {0xff00, 0xff60, 2},   {0xffe0, 0xffe6, 2},
		{0x1f300, 0x1faff, 2}, {0x20000, 0x3fffd, 2},
	};
	for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return ranges[i].width;
	return 1;
}

size_t term_text_fit(const char *s, int columns, int *used)
{
	size_t at = 0;
	int width = 0;
	while (s[at]) {
		uint32_t c;
		size_t n = decode(s + at, &c);
		int w = char_width(c);
		if (w > columns - width)
			break;
		width += w;
		at += n;
	}
	if (used)
		*used = width;
	return at;
}

int term_text_width(const char *s)
{
	int width;
	term_text_fit(s, INT_MAX, &width);
	return width;
}
