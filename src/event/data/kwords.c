/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays of strings that print fmts index: the kernel's own, which formats only name. */
#include "event/data/known.h"

#include <string.h>

/*
 * drivers/android/binder.c. Kernels only added to them: what one that lacks the last entries would
 * call unknown are commands that it refuses.
 */
static const char *const binder_commands[] = {
	"BC_TRANSACTION", "BC_REPLY", "BC_ACQUIRE_RESULT", "BC_FREE_BUFFER", "BC_INCREFS",
	"BC_ACQUIRE", "BC_RELEASE", "BC_DECREFS", "BC_INCREFS_DONE", "BC_ACQUIRE_DONE",
	"BC_ATTEMPT_ACQUIRE", "BC_REGISTER_LOOPER", "BC_ENTER_LOOPER", "BC_EXIT_LOOPER",
	"BC_REQUEST_DEATH_NOTIFICATION", "BC_CLEAR_DEATH_NOTIFICATION", "BC_DEAD_BINDER_DONE",
	"BC_TRANSACTION_SG", "BC_REPLY_SG", "BC_REQUEST_FREEZE_NOTIFICATION",
	"BC_CLEAR_FREEZE_NOTIFICATION", "BC_FREEZE_NOTIFICATION_DONE",
};

static const char *const binder_returns[] = {
	"BR_ERROR", "BR_OK", "BR_TRANSACTION", "BR_REPLY", "BR_ACQUIRE_RESULT", "BR_DEAD_REPLY",
	"BR_TRANSACTION_COMPLETE", "BR_INCREFS", "BR_ACQUIRE", "BR_RELEASE", "BR_DECREFS",
	"BR_ATTEMPT_ACQUIRE", "BR_NOOP", "BR_SPAWN_LOOPER", "BR_FINISHED", "BR_DEAD_BINDER",
	"BR_CLEAR_DEATH_NOTIFICATION_DONE", "BR_FAILED_REPLY", "BR_FROZEN_REPLY",
	"BR_ONEWAY_SPAM_SUSPECT", "BR_TRANSACTION_PENDING_FROZEN", "BR_FROZEN_BINDER",
	"BR_CLEAR_FREEZE_NOTIFICATION_DONE",
};

/* Qualcomm's window-based load tracking (WALT), the same in all kernels that have it */
static const char *const task_events[] = {
	"PUT_PREV_TASK", "PICK_NEXT_TASK", "TASK_WAKE", "TASK_MIGRATE", "TASK_UPDATE", "IRQ_UPDATE",
};

static const struct {
	const char *name;
	const char *const *words;
	size_t n;
} arrays[] = {
	{ "binder_command_strings", binder_commands,
	  sizeof(binder_commands) / sizeof(*binder_commands) },
	{ "binder_return_strings", binder_returns,
	  sizeof(binder_returns) / sizeof(*binder_returns) },
	{ "task_event_names", task_events, sizeof(task_events) / sizeof(*task_events) },
};

const char *const *kwords_find(const char *name, size_t len, size_t *n)
{
	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++) {
		if (strlen(arrays[i].name) != len || memcmp(arrays[i].name, name, len))
			continue;
		*n = arrays[i].n;
		return arrays[i].words;
	}
	return NULL;
}
