/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recorded machine below the scratch folder, and its removal. After plan_test.h. */
#ifndef BLKGATE_TESTS_PLAN_RECORDED_H
#define BLKGATE_TESTS_PLAN_RECORDED_H

#include "plan_test.h"

#include "base/fileio.h"

#include <ftw.h>

static inline void put(struct fix *f, const char *path, const char *text)
{
	char full[512], *slash;
	struct err e = ERR_INIT;
	FILE *fp;

	snprintf(full, sizeof(full), "%s%s", f->dir, path);
	slash = strrchr(full, '/');
	*slash = '\0';
	assert_int_equal(file_mkdirs(full, &e), 0);
	*slash = '/';
	fp = fopen(full, "w");
	assert_non_null(fp);
	fputs(text, fp);
	assert_int_equal(fclose(fp), 0);
}

static inline void put_link(struct fix *f, const char *to, const char *path)
{
	char full[512];

	put(f, path, ""); /* its folders */
	snprintf(full, sizeof(full), "%s%s", f->dir, path);
	assert_int_equal(unlink(full), 0);
	assert_int_equal(symlink(to, full), 0);
}

static inline int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline int disk_teardown(void **state)
{
	struct fix *f = *state;

	nftw(f->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return fix_teardown(state);
}

#define DISK_TEST(fn) cmocka_unit_test_setup_teardown(fn, fix_setup, disk_teardown)

#endif
