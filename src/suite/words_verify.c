/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verify: one checksum is enough, and a sentence says so for each other value of fio's. */
#include "suite/words_read.h"

#include <string.h>

#include "base/arena.h"

static bool listed(const char *text, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(text, names[i]) == 0)
			return true;
	return false;
}

WORD_READER(word_read_verify)
{
	static const char *const sums[] = {
		"crc7",   "crc16",   "crc32",    "crc64",    "md5",      "sha1",
		"sha256", "sha512",  "sha3-224", "sha3-256", "sha3-384", "sha3-512",
		"xxhash", "pattern", "meta",     "header",   "null",     "crc32c-intel",
	};
	static const char *const off[] = {"none", "no", "false", "off", "0"};

	if (strcmp(text, "crc32c") == 0) {
		j->verify = arena_strdup(a, text);
		return 0;
	}
	if (listed(text, off, sizeof(off) / sizeof(*off))) {
		err_set(e, ERR_SUITE, "%s: nothing is verified where the word is left out",
			w->name);
		return err_hint(e, "remove it");
	}
	if (listed(text, sums, sizeof(sums) / sizeof(*sums)))
		err_set(e, ERR_SUITE,
			"%s: '%s' is fio's; here it is crc32c, by the processor where it can, with "
			"offset and generation in each block",
			w->name, text);
	else
		err_set(e, ERR_SUITE, "%s: '%s' is no checksum known here", w->name, text);
	return err_hint(e, "verify: crc32c");
}
