/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Baselines and output are kept where nothing is measured: by what a folder is, not how it is
 * spelled. */
#include "plan_test.h"

#include "base/fileio.h"

#include <sys/stat.h>

#define WRITES HEAD_BARE "  - {name: w, rw: write, size: 8k, direct: false}\n"

static struct own_folder own[2];

static void setup_folders(struct fix *f)
{
	static const char *const names[] = {"data", "base", "base/below", "base/below/deep"};
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", f->dir, names[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	snprintf(path, sizeof(path), "%s/link", f->dir);
	assert_int_equal(symlink("base/below", path), 0);
	snprintf(path, sizeof(path), "%s/base/file", f->dir);
	assert_int_equal(file_write(path, "0123456789abcdef", 16, &f->err), 0);
	own[0] = (struct own_folder){"baselines", NULL};
	own[1] = (struct own_folder){"the output", NULL};
	f->o.own = own;
	f->o.nown = 2;
}

static void plan_on(struct fix *f, const char *target, const char *base, const char *text)
{
	static char at[128], base_at[128];

	snprintf(at, sizeof(at), "%s/%s", f->dir, target);
	snprintf(base_at, sizeof(base_at), "%s/%s", f->dir, base);
	f->arg[0].id = at;
	own[0].path = base_at;
	fix_ok(f, text);
}

static bool told(const struct fix *f, const char *part)
{
	for (size_t i = 0; i < f->plan.notices.n; i++)
		if (strstr(f->plan.notices.v[i], part))
			return true;
	return false;
}

static void refused(struct fix *f, const char *target, const char *base, const char *part)
{
	plan_on(f, target, base, WRITES);
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
	assert_non_null(strstr(f->plan.jobs[0].why, part));
}

static void a_folder_of_ours_is_no_target(void **state)
{
	struct fix *f = *state;
	char data[128];

	setup_folders(f);
	refused(f, "base", "base", "is the folder of baselines");
	refused(f, "base/../base/.", "base", "is the folder of baselines");
	refused(f, "base/below", "base", "lies in the folder of baselines");
	refused(f, "base/below/deep", "base", "lies in the folder of baselines");
	refused(f, "link/deep", "base", "lies in the folder of baselines");
	refused(f, "base/below", "link", "is the folder of baselines");
	plan_on(f, "data", "base", WRITES);
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	assert_false(told(f, "folder"));
	/* what is not there, and a job that has no device */
	plan_on(f, "base", "none", WRITES);
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	plan_on(f, "base", "base", HEAD "  - {name: s, rw: write}\n");
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	/* each of them counts */
	snprintf(data, sizeof(data), "%s/data", f->dir);
	own[1].path = data;
	refused(f, "data", "base", "is the folder of the output");
}

static void a_folder_that_holds_ours_is_told(void **state)
{
	struct fix *f = *state;

	setup_folders(f);
	plan_on(f, "base", "base/below/deep", WRITES);
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	assert_true(told(f, "holds the folder of baselines"));
	plan_on(f, ".", "link", WRITES);
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	assert_true(told(f, "holds the folder of baselines"));
	plan_on(f, "data", "base", WRITES);
	assert_false(told(f, "holds the folder"));
}

static void a_file_of_ours_is_not_written(void **state)
{
	struct fix *f = *state;
	const char *allow[1] = {NULL};
	char path[128];

	setup_folders(f);
	snprintf(path, sizeof(path), "%s/base/file", f->dir);
	allow[0] = path;
	f->o.allow_write = allow;
	f->o.nallow = 1;
	plan_on(f, "base/file", "base",
		HEAD_BARE "  - {name: w, rw: write, bs: 4, size: 8, direct: false}\n"
			  "  - {name: r, rw: read, bs: 4, size: 8, direct: false}\n");
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
	assert_non_null(strstr(f->plan.jobs[0].why, "lies in the folder of baselines"));
	assert_int_equal(f->plan.jobs[1].state, JOB_READY);
}

static int setup(void **state)
{
	struct fix *f = xcalloc(1, sizeof(*f));

	fix_init(f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	static const char *const names[] = {"base/file",  "link", "base/below/deep",
					    "base/below", "base", "data"};
	struct fix *f = *state;
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", f->dir, names[i]);
		assert_int_equal(remove(path), 0);
	}
	fix_release(f);
	free(f);
	return 0;
}

#define OWN_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		OWN_TEST(a_folder_of_ours_is_no_target),
		OWN_TEST(a_folder_that_holds_ours_is_told),
		OWN_TEST(a_file_of_ours_is_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
