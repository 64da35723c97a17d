/* What a server may put into headers and URLs: no crash, and no range that does not fit itself. */
#include <stdlib.h>
#include <string.h>

#include "ext/http.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct content_range r;
	char *text = xstrndup((const char *)data, size);
	if (http_content_range(text, &r) && (r.first > r.last || r.last >= r.total))
		abort();
	free(http_header((const char *)data, size, "content-range"));
	http_html_body(data, size);
	http_html_type(text);
	char *masked = http_mask(text);
	for (const char *s = masked; *s; s++)
		if ((unsigned char)*s < 0x20)
			abort();
	free(masked);
	free(http_origin(text));
	free(text);
	return 0;
}
