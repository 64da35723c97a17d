#pragma once
/* Attributes, clean-up on scope exit, and memory that never comes back NULL. */
#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define must_check __attribute__((warn_unused_result))
#define printf_like(f, a) __attribute__((format(printf, f, a)))

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

void attr_free(void *pp);
void attr_close(int *fd);
void attr_closedir(DIR **d);

/* The variable is freed or closed when its scope ends; errno is kept. */
#define autofree __attribute__((cleanup(attr_free)))
#define autoclose __attribute__((cleanup(attr_close)))
#define autodir __attribute__((cleanup(attr_closedir)))

/* Hand a value over and leave NULL or -1 behind, so that the clean-up does nothing. */
#define take_ptr(p)                                                                                \
	({                                                                                         \
		__typeof__(p) take_tmp_ = (p);                                                     \
		(p) = NULL;                                                                        \
		take_tmp_;                                                                         \
	})

static inline int take_fd(int *fd)
{
	int f = *fd;
	*fd = -1;
	return f;
}

/* These end the program when memory is out. What is on disk is safe at any instant. */
void *xmalloc(size_t n);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) printf_like(1, 2);

/*
 * Room for one more item behind `count` items of `size` bytes; the new item is zeroed.
 * Use: v = array_grow(v, n, sizeof *v); v[n++] = item;
 */
void *array_grow(void *items, size_t count, size_t size);

/* A list of owned strings. A zeroed struct is valid and empty. */
struct strlist {
	char **items;
	size_t n;
};
void strlist_add(struct strlist *l, const char *s); /* copies s */
bool strlist_has(const struct strlist *l, const char *s);
void strlist_sort(struct strlist *l); /* by bytes */
void strlist_clear(struct strlist *l);
#define autostrlist __attribute__((cleanup(strlist_clear)))

/* Whether s is one of these; NULL ends them. */
bool words_have(const char *const *words, const char *s);
