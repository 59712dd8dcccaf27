/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/nvme: log pages of an NVMe controller by ioctl, the only file that knows libnvme. Only what
 * both libnvme 1.3 (Debian 12) and 1.11 have is used. Getting a log page takes CAP_SYS_ADMIN and a
 * node that only root may open, so that an ordinary account reads no SMART log.
 */
#include "host/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <libnvme.h>
#include <stdio.h>
#include <unistd.h>

_Static_assert(sizeof(struct nvme_smart_log) == NVME_SMART_PAGE, "the SMART log is one page");
_Static_assert(sizeof(struct nvme_firmware_slot) == NVME_SMART_PAGE, "so is that of the firmware");

int smart_open(const struct host *h, const char *controller, const char *disk)
{
	const char *const names[] = {controller, disk};
	char path[96];
	int fd = -ENOENT;

	if (!host_live(h))
		return -ENOENT;
	for (size_t i = 0; i < 2; i++) {
		if (!names[i] || !*names[i])
			continue;
		snprintf(path, sizeof(path), "/dev/%s", names[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd >= 0)
			return fd;
		fd = -errno;
	}
	return fd;
}

/* libnvme: -1 and errno, or a status of the device above 0. */
static int result_of(int rc)
{
	return rc < 0 ? -errno : rc > 0 ? -EREMOTEIO : 0;
}

/* Asynchronous events stay reported: somebody else may wait for them. */
int smart_page(int fd, unsigned char page[NVME_SMART_PAGE])
{
	return result_of(
		nvme_get_log_smart(fd, NVME_NSID_ALL, true, (struct nvme_smart_log *)page));
}

static uint64_t little(const unsigned char *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

/* Counters of 16 bytes; what does not fit stands still at the end, and no drive comes near it. */
static int64_t counter(const unsigned char *p)
{
	uint64_t v = little(p, 8);

	return little(p + 8, 8) || v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

int smart_parse(const unsigned char *page, size_t n, struct smart *s)
{
	struct nvme_smart_log log, *l = &log;
	size_t gone = 0;
	unsigned kelvin;

	if (n < NVME_SMART_PAGE)
		return -EINVAL;
	memcpy(l, page, sizeof(*l));
	while (gone < NVME_SMART_PAGE && page[gone] == 0xff)
		gone++;
	if (gone == NVME_SMART_PAGE) /* what a device that left the bus reads as */
		return -ENODATA;
	kelvin = (unsigned)little(l->temperature, 2);
	*s = (struct smart){
		.critical_warning = l->critical_warning,
		.has_temperature = kelvin != 0,
		.temperature = (int)kelvin - 273,
		.available_spare = l->avail_spare,
		.spare_threshold = l->spare_thresh,
		.percentage_used = l->percent_used,
		.data_units_written = counter(l->data_units_written),
		.unsafe_shutdowns = counter(l->unsafe_shutdowns),
		.power_on_hours = counter(l->power_on_hours),
		.media_errors = counter(l->media_errors),
		.error_log_entries = counter(l->num_err_log_entries),
		.warning_temp_time = (int64_t)le32toh(l->warning_temp_time),
		.critical_temp_time = (int64_t)le32toh(l->critical_comp_time),
		.thermal_transitions = {(int64_t)le32toh(l->thm_temp1_trans_count),
					(int64_t)le32toh(l->thm_temp2_trans_count)},
		.thermal_time = {(int64_t)le32toh(l->thm_temp1_total_time),
				 (int64_t)le32toh(l->thm_temp2_total_time)},
	};
	return 0;
}

/* "1 2B2QEXE7 (active), 2 3B2QEXE7 (next reset)" of a page; slots without firmware are left out. */
void slots_parse(const unsigned char page[NVME_SMART_PAGE], struct str *out)
{
	const struct nvme_firmware_slot *l = (const void *)page;
	unsigned active = l->afi & 7, next = l->afi >> 4 & 7;

	for (unsigned i = 0; i < sizeof(l->frs) / sizeof(l->frs[0]); i++) {
		struct str name;

		str_init(&name);
		text_squeeze(&name, l->frs[i], sizeof(l->frs[i]));
		if (name.len)
			str_addf(out, "%s%u %s%s", out->len ? ", " : "", i + 1, name.s,
				 i + 1 == active                   ? " (active)"
				 : i + 1 == next && next != active ? " (next reset)"
								   : "");
		str_release(&name);
	}
}

int slots_page(int fd, unsigned char page[NVME_SMART_PAGE])
{
	return result_of(nvme_get_log_fw_slot(fd, true, (struct nvme_firmware_slot *)page));
}
