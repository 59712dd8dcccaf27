/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Result documents and journals: any bytes are refused with a sentence or judged, never a crash. */
#include "gate/gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct result r;
	struct err e = ERR_INIT;

	if (result_parse((const char *)data, n, "fuzz", &r, &e) == 0)
		gate_judge(&r, NULL, &(struct gate_options){.now = r.ended, .sessions_max = 5});
	result_release(&r);
	return 0;
}
