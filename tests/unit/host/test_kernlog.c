/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include "host/kernlog.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Records that no kernel wrote, in order; NULL = what was lost. */
struct tape {
	const char *const *v;
	size_t n, at;
	int error; /* behind the last one */
};

static ssize_t play(void *arg, char *record, size_t size)
{
	struct tape *t = arg;
	const char *text;

	if (t->at == t->n)
		return t->error;
	text = t->v[t->at++];
	if (!text)
		return -EPIPE;
	assert_true(strlen(text) < size);
	memcpy(record, text, strlen(text));
	return (ssize_t)strlen(text);
}

struct heard {
	struct kernlog_names names;
	char first[512], kind[32], device[64];
	unsigned n, all;
};

static void hear(void *arg, const struct kernlog_line *l)
{
	struct heard *h = arg;

	h->all++;
	if (!kernlog_concerns(l, &h->names))
		return;
	if (h->n++)
		return;
	snprintf(h->first, sizeof(h->first), "%s", l->text);
	snprintf(h->kind, sizeof(h->kind), "%s", l->trouble ? l->trouble : "");
	snprintf(h->device, sizeof(h->device), "%s", l->device);
}

/* Plays the records to ears that know nvme0n1 behind 0000:01:00.0. The reason it is not known. */
static char *listen(const char *const *v, size_t n, int error, struct heard *h)
{
	struct tape tape = {v, n, 0, error};
	struct kernlog k;
	char *why;
	int rc;

	*h = (struct heard){0};
	kernlog_name(&h->names, "nvme0n1");
	kernlog_name(&h->names, "nvme0");
	kernlog_name(&h->names, "");
	kernlog_name(&h->names, "nvme0n1");
	kernlog_name(&h->names, "0000:01:00.0");
	assert_int_equal(h->names.n, 3);
	kernlog_open_source(&k, play, &tape);
	rc = kernlog_read(&k, hear, h, &why);
	assert_int_equal(rc, why ? -1 : 0);
	kernlog_close(&k);
	kernlog_names_release(&h->names);
	return why;
}

#define LISTEN(h, ...)                                                                             \
	listen((const char *const[]){__VA_ARGS__},                                                 \
	       sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *), 0, h)

static void only_what_concerns(void **state)
{
	struct heard h;

	(void)state;
	assert_null(LISTEN(&h, "6,10,100,-;usb 1-1: new high-speed USB device\n",
			   "6,11,100,-;audit: nvme0n12 is another disk, and so is xnvme0n1\n",
			   "7,12,100,-;nvme nvme0: a word for whoever debugs it\n",
			   "6,13,100,-;catch and ata without a number: nothing\n",
			   /* written by a program: facility 1 */
			   "11,14,100,-;I/O error, dev nvme0n1, sector 0\n"));
	assert_int_equal(h.all, 4);
	assert_int_equal(h.n, 0);
	assert_null(LISTEN(
		&h, "6,1,100,-;nvme0n1: detected capacity change from 0 to 8\n",
		"6,2,100,-; (nvme0n1p2 is a partition)\n",
		"6,3,100,-;something happened\n SUBSYSTEM=pci\n DEVICE=+pci:0000:01:00.0\n"));
	assert_int_equal(h.n, 2);
	assert_string_equal(h.kind, "");
	assert_null(LISTEN(&h, "6,3,9,-;it happened\n SUBSYSTEM=pci\n DEVICE=+pci:0000:01:00.0\n"));
	assert_int_equal(h.n, 1);
	assert_string_equal(h.device, "+pci:0000:01:00.0");
}

static void trouble_by_its_words(void **state)
{
	static const char *const lines[][2] = {
		{"3,1,1,-;blk_update_request: I/O error, dev sdb, sector 8 op 0x0\n", "I/O"},
		{"3,1,1,-;I/O error, dev sdb, sector 8 op 0x0:(READ)\n", "I/O"},
		{"3,1,1,-;Buffer I/O error on dev dm-0, logical block 0\n", "I/O"},
		{"3,1,1,-;critical medium error, dev sda, sector 4\n", "I/O"},
		{"4,1,1,-;nvme nvme1: I/O 5 QID 2 timeout, aborting\n", "NVMe"},
		{"4,1,1,-;pcieport 0000:00:1c.0: AER: Corrected error received\n", "PCIe"},
		{"4,1,1,-;nvme 0000:02:00.0: PCIe Bus Error: severity=Corrected\n", "PCIe"},
		{"6,1,1,-;ata3: hard resetting link\n", "ata"},
		{"3,1,1,-;ata3.00: exception Emask 0x0 SAct 0x1\n", "ata"},
		{"6,1,1,-;sd 2:0:0:0: [sda] tag#1 FAILED Result: hostbyte=DID_OK\n", "scsi"},
		{"2,1,1,-;EXT4-fs error (device sda1): ext4_lookup\n", "file system"},
		{"0,1,1,-;mce: [Hardware Error]: CPU 1\n", "machine check"},
		{"2,1,1,-;mce: CPU1: Core temperature above threshold, cpu clock throttled\n",
		 "machine check"},
		{"3,1,1,-;INFO: task dd:12 blocked for more than 120 seconds.\n", "hung task"},
		{"4,1,1,-;blkgate invoked oom-killer: gfp_mask=0x1\n", "out of memory"},
		{"0,1,1,-;watchdog: BUG: soft lockup - CPU#0 stuck for 26s!\n", "lockup"},
		{"3,1,1,-;rcu: INFO: rcu_sched self-detected stall on CPU\n", "lockup"},
		{"4,1,1,-;WARNING: CPU: 0 PID: 1 at block/blk-mq.c:1\n", "kernel bug"},
	};
	struct heard h;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_null(listen(&lines[i][0], 1, 0, &h));
		if (h.n != 1 || strcmp(h.kind, lines[i][1]) != 0)
			fail_msg("%s is '%s', not '%s'", lines[i][0], h.kind, lines[i][1]);
	}
}

/* Nobody knows what a line said that was lost. */
static void what_was_lost_is_not_clean(void **state)
{
	struct heard h;
	char *why;

	(void)state;
	why = LISTEN(&h, "6,1,1,-;a\n", NULL, "6,90,1,-;b\n");
	contains(why, "overwritten");
	assert_int_equal(h.all, 2);
	free(why);
	why = LISTEN(&h, "6,1,1,-;a\n", "6,3,1,-;b\n");
	contains(why, "missing");
	free(why);
	why = LISTEN(&h, "6,1,1,-;a\n", "nonsense\n", "6,2,1,-;b\n");
	contains(why, "unknown form");
	free(why);
	why = LISTEN(&h, "6,1,1,-no semicolon\n");
	contains(why, "unknown form");
	free(why);
	why = listen(NULL, 0, -EIO, &h);
	contains(why, "cannot read the kernel log");
	free(why);
}

static void hostile_text_is_made_visible(void **state)
{
	char longest[4000];
	struct heard h;

	(void)state;
	assert_null(LISTEN(&h, "3,1,1,-;I/O error \033[2J\x80 on nvme0n1\n"));
	assert_string_equal(h.first, "I/O error \\x1b[2J\\x80 on nvme0n1");
	memset(longest, 'x', sizeof(longest));
	memcpy(longest, "3,1,1,-;I/O error ", 18);
	strcpy(longest + sizeof(longest) - 2, "\n");
	assert_null(LISTEN(&h, longest));
	assert_true(strlen(h.first) <= 200);
}

/* The log of a recorded machine is a file that grows; what stood in it before counts not. */
static void a_recorded_log(void **state)
{
	struct fixture *x = *state;
	struct heard h = {0};
	struct facts f;
	struct kernlog k;
	char *why, *path = fixture_path(x, "/dev/kmsg");
	FILE *log;

	facts_init(&f);
	host_kernel_log(&x->host, &f, &x->arena);
	fact_is(&f, "kernel_log", NULL);
	kernlog_open(&k, &x->host);
	assert_int_equal(kernlog_read(&k, hear, &h, &why), -1);
	contains(why, "cannot read '/dev/kmsg'");
	free(why);
	kernlog_close(&k);
	put(x, "/dev/kmsg", "3,1,1,-;I/O error, dev nvme0n1\n DEVICE=b259:0\n");
	host_kernel_log(&x->host, &f, &x->arena);
	fact_is(&f, "kernel_log", "clean");
	kernlog_open(&k, &x->host);
	assert_int_equal(kernlog_read(&k, hear, &h, &why), 0);
	assert_int_equal(h.all, 0);
	log = fopen(path, "a");
	assert_non_null(log);
	fputs("6,2,1,-;quiet\n3,3,1,-;I/O error, dev sdb\n DEVICE=b8:16\n SUBSYSTEM=block\n", log);
	fclose(log);
	assert_int_equal(kernlog_read(&k, hear, &h, &why), 0);
	assert_int_equal(h.all, 2);
	assert_int_equal(h.n, 1);
	assert_string_equal(h.device, "b8:16");
	assert_int_equal(kernlog_read(&k, hear, &h, &why), 0);
	assert_int_equal(h.all, 2);
	kernlog_close(&k);
	facts_release(&f);
	free(path);
}

/* In a container /dev/kmsg may be a link to something that is always empty. */
static void another_device(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_false(kernlog_is_node(&st));
	st.st_rdev = makedev(1, 11);
	assert_true(kernlog_is_node(&st));
	st.st_mode = S_IFREG;
	assert_false(kernlog_is_node(&st));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_concerns),
		cmocka_unit_test(trouble_by_its_words),
		cmocka_unit_test(what_was_lost_is_not_clean),
		cmocka_unit_test(hostile_text_is_made_visible),
		TEST(a_recorded_log),
		cmocka_unit_test(another_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
