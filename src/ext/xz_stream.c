#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "ext/xz_priv.h"

/* What lzma_block_header_decode() allocated. */
static void free_options(const lzma_filter *filters)
{
	for (; filters->id != LZMA_VLI_UNKNOWN; filters++)
		free(filters->options);
}

/* A block that is nothing but LZMA2: *dict is its dictionary. LZMA_OPTIONS_ERROR: another one. */
static lzma_ret read_block_head(lzma_block *b, lzma_check check, const uint8_t *head,
				uint32_t *dict)
{
	lzma_filter filters[LZMA_FILTERS_MAX + 1];
	*b = (lzma_block){.version = 1,
			  .header_size = lzma_block_header_size_decode(head[0]),
			  .check = check,
			  .filters = filters};
	lzma_ret r = lzma_block_header_decode(b, NULL, head);
	b->filters = NULL;
	if (r != LZMA_OK)
		return r;
	bool plain = filters[0].id == LZMA_FILTER_LZMA2 && filters[1].id == LZMA_VLI_UNKNOWN;
	*dict = plain ? ((const lzma_options_lzma *)filters[0].options)->dict_size : 0;
	free_options(filters);
	return plain ? LZMA_OK : LZMA_OPTIONS_ERROR;
}

bool xz_stream_can(struct xz *x, bool *can, size_t *dict, struct err *err)
{
	enum { HEAD = LZMA_STREAM_HEADER_SIZE };
	lzma_stream_flags flags;
	lzma_block block;
	uint32_t d = 0;
	*can = false;
	if (!xz_need(x, HEAD + 1, err))
		return false;
	const uint8_t *in = x->in + x->in_at;
	if (x->in_n - x->in_at < HEAD + 1 || lzma_stream_header_decode(&flags, in) != LZMA_OK ||
	    in[HEAD] == 0 || (x->check && !xz_check_known(flags.check)))
		return true;
	size_t size = lzma_block_header_size_decode(in[HEAD]);
	if (!xz_need(x, HEAD + size, err))
		return false;
	in = x->in + x->in_at;
	*can = x->in_n - x->in_at >= HEAD + size &&
	       read_block_head(&block, flags.check, in + HEAD, &d) == LZMA_OK && d <= XZ_MEMORY_MAX;
	*dict = d;
	return true;
}

/* n bytes of input that must be there. */
static const uint8_t *need(struct xz *x, size_t n, struct err *err)
{
	if (!xz_need(x, n, err))
		return NULL;
	if (x->in_n - x->in_at >= n)
		return x->in + x->in_at;
	xz_refuse(x, LZMA_BUF_ERROR, err);
	return NULL;
}

static bool stream_head(struct xz *x, struct err *err)
{
	struct xz_stream *o = &x->own;
	const uint8_t *in = need(x, LZMA_STREAM_HEADER_SIZE, err);
	if (!in)
		return false;
	lzma_ret r = lzma_stream_header_decode(&o->flags, in);
	if (r != LZMA_OK)
		return xz_refuse(x, r, err);
	lzma_index_hash *index = lzma_index_hash_init(o->index, NULL);
	if (!index)
		return xz_refuse(x, LZMA_MEM_ERROR, err);
	o->index = index;
	x->in_at += LZMA_STREAM_HEADER_SIZE;
	o->at = XZ_BLOCK;
	return true;
}

static bool block_head(struct xz *x, struct err *err)
{
	struct xz_stream *o = &x->own;
	uint32_t dict = 0;
	const uint8_t *in = need(x, 1, err);
	if (!in)
		return false;
	if (in[0] == 0) {
		o->at = XZ_INDEX;
		return true;
	}
	size_t size = lzma_block_header_size_decode(in[0]);
	if (!(in = need(x, size, err)))
		return false;
	lzma_ret r = read_block_head(&o->block, o->flags.check, in, &dict);
	if (r == LZMA_OK && dict > XZ_MEMORY_MAX)
		r = LZMA_MEMLIMIT_ERROR;
	if (r != LZMA_OK)
		return xz_refuse(x, r, err);
	if (dict > x->ring.history && !xz_new_history(x, dict, err))
		return false;
	if (!xz_check_start(&o->check, x->check ? o->flags.check : LZMA_CHECK_NONE))
		return xz_refuse(x, LZMA_MEM_ERROR, err);
	lzma2_init(&o->lzma2, dict);
	o->packed = o->unpacked = 0;
	x->in_at += size;
	o->at = XZ_CHUNK;
	return true;
}

static bool chunk(struct xz *x, struct err *err)
{
	struct xz_stream *o = &x->own;
	struct lzma2_chunk c;
	const uint8_t *in = need(x, 1, err);
	if (!in || !(in = need(x, lzma2_head_size(in[0]), err)))
		return false;
	if (!lzma2_head(&o->lzma2, in, &c))
		return xz_refuse(x, LZMA_DATA_ERROR, err);
	if (!(in = need(x, c.head + c.in, err)))
		return false;
	uint8_t *out = c.end ? NULL : xz_room(x, c.out + LZMA2_OUT_SLACK);
	if (!c.end && !out)
		return true;
	if (!c.end && !lzma2_chunk(&o->lzma2, &c, in + c.head, out))
		return xz_refuse(x, LZMA_DATA_ERROR, err);
	if (c.end) {
		o->at = XZ_BLOCK_END;
	} else {
		xz_check_add(&o->check, out, c.out);
		xz_wrote(x, c.out);
	}
	x->in_at += c.head + c.in;
	o->packed += c.head + c.in;
	o->unpacked += c.out;
	return true;
}

static bool is_as_told(lzma_vli told, uint64_t found)
{
	return told == LZMA_VLI_UNKNOWN || told == found;
}

static bool block_end(struct xz *x, struct err *err)
{
	struct xz_stream *o = &x->own;
	size_t padding = (size_t)(-o->packed & 3), n = padding + lzma_check_size(o->flags.check);
	const uint8_t *in = need(x, n, err);
	if (!in)
		return false;
	if (!is_as_told(o->block.compressed_size, o->packed) ||
	    !is_as_told(o->block.uncompressed_size, o->unpacked) ||
	    memcmp(in, "\0\0\0", padding) != 0 || !xz_check_fits(&o->check, in + padding))
		return xz_refuse(x, LZMA_DATA_ERROR, err);
	o->block.compressed_size = o->packed;
	lzma_ret r =
		lzma_index_hash_append(o->index, lzma_block_unpadded_size(&o->block), o->unpacked);
	if (r != LZMA_OK)
		return xz_refuse(x, r, err);
	x->in_at += n;
	o->at = XZ_BLOCK;
	return true;
}

static bool index_of_blocks(struct xz *x, struct err *err)
{
	const uint8_t *in = need(x, 1, err);
	size_t at = 0;
	if (!in)
		return false;
	lzma_ret r = lzma_index_hash_decode(x->own.index, in, &at, x->in_n - x->in_at);
	x->in_at += at;
	if (r == LZMA_STREAM_END)
		x->own.at = XZ_FOOT;
	return r == LZMA_STREAM_END || r == LZMA_OK || xz_refuse(x, r, err);
}

static bool stream_foot(struct xz *x, struct err *err)
{
	struct xz_stream *o = &x->own;
	lzma_stream_flags foot;
	const uint8_t *in = need(x, LZMA_STREAM_HEADER_SIZE, err);
	if (!in)
		return false;
	if (lzma_stream_footer_decode(&foot, in) != LZMA_OK ||
	    lzma_stream_flags_compare(&o->flags, &foot) != LZMA_OK ||
	    foot.backward_size != lzma_index_hash_size(o->index))
		return xz_refuse(x, LZMA_DATA_ERROR, err);
	x->in_at += LZMA_STREAM_HEADER_SIZE;
	o->at = XZ_PADDING;
	return true;
}

/* The end, another stream, or zeros in groups of four. */
static bool padding(struct xz *x, struct err *err)
{
	if (!xz_need(x, 4, err))
		return false;
	x->ended = x->in_at == x->in_n;
	if (x->ended)
		return true;
	if (x->in_n - x->in_at < 4)
		return xz_refuse(x, LZMA_BUF_ERROR, err);
	if (memcmp(x->in + x->in_at, "\0\0\0", 4) == 0)
		x->in_at += 4;
	else
		x->own.at = XZ_STREAM;
	return true;
}

bool xz_stream_step(struct xz *x, struct err *err)
{
	switch (x->own.at) {
	case XZ_STREAM:
		return stream_head(x, err);
	case XZ_BLOCK:
		return block_head(x, err);
	case XZ_CHUNK:
		return chunk(x, err);
	case XZ_BLOCK_END:
		return block_end(x, err);
	case XZ_INDEX:
		return index_of_blocks(x, err);
	case XZ_FOOT:
		return stream_foot(x, err);
	case XZ_PADDING:
		return padding(x, err);
	}
	return false;
}

void xz_stream_clear(struct xz_stream *o)
{
	lzma_index_hash_end(o->index, NULL);
	xz_check_clear(&o->check);
}
