/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A page of a SMART log, byte by byte as the NVMe base specification places the fields. */
#ifndef BLKGATE_TESTS_HOST_SMART_PAGE_H
#define BLKGATE_TESTS_HOST_SMART_PAGE_H

#include <stdio.h>
#include <string.h>

static inline void smart_page_number(unsigned char *at, unsigned long v)
{
	for (; v; v >>= 8)
		*at++ = (unsigned char)v;
}

static inline void smart_page_temperature(unsigned char page[512], int celsius)
{
	page[1] = page[2] = 0;
	smart_page_number(page + 1, (unsigned long)(celsius + 273));
}

static inline void smart_page_make(unsigned char page[512])
{
	memset(page, 0, 512);
	page[0] = 2; /* a temperature threshold was passed */
	smart_page_temperature(page, 46);
	page[3] = 97;
	page[4] = 10;
	page[5] = 3;
	smart_page_number(page + 48, 1234567); /* data units written */
	smart_page_number(page + 128, 4321);   /* power on hours */
	smart_page_number(page + 144, 21);     /* unsafe shutdowns */
	smart_page_number(page + 160, 5);      /* media errors */
	smart_page_number(page + 176, 258);    /* entries of the error log */
	smart_page_number(page + 192, 7);      /* warning temperature time */
	smart_page_number(page + 196, 1);      /* critical */
	smart_page_number(page + 216, 11);     /* thermal management transitions */
	smart_page_number(page + 220, 12);
	smart_page_number(page + 224, 130); /* and time */
	smart_page_number(page + 228, 14);
}

/* As recorded of the controller nvme0 of a machine below root. */
static inline void smart_page_write(const char *root, const unsigned char page[512])
{
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "%s/dev/nvme0.smart", root);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(page, 1, 512, f), 512);
	assert_int_equal(fclose(f), 0);
}

static inline void smart_page_put(const char *root)
{
	unsigned char page[512];

	smart_page_make(page);
	smart_page_write(root, page);
}

#endif
