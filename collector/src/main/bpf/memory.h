/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is read by its address: of the process, or of the kernel. */
#pragma once

#include "stream.h"

/* Whose it is. Both are constants in each program. */
struct whose {
    u64 is_kernel;
    u64 may_sleep; /* as in read_user() */
};

/* Returns whether it could be read. */
inline_always int read_part(void *to, u64 size, u64 address, struct whose whose)
{
    long failed = whose.is_kernel ? bpf_probe_read_kernel(to, size, address)
                                  : read_user(to, size, address, whose.may_sleep);
    return failed == 0;
}

/*
 * Reads text of a process that is not resident, for programs that may sleep. A text of at most a page lies on two pages, and they
 * are brought in by reading a byte of each; the second one only when the first was not enough, for it may not be the process's
 * at all.
 *
 * As bpf_probe_read_user_str(), returns how many bytes were read with the NUL; 0 or less = it cannot be read.
 */
inline_always long bring_in_text(u8 *to, u64 size, u64 address)
{
    if (bpf_copy_from_user(to, 1, address) != 0)
        return 0;
    long length = bpf_probe_read_user_str(to, size, address);
    if (length > 0 || bpf_copy_from_user(to, 1, address + size - 1) != 0)
        return length;
    return bpf_probe_read_user_str(to, size, address);
}

/* Reads text up to its NUL, and at most size - 1 bytes with a NUL behind them. Returns the same. */
inline_always long read_until_nul(u8 *to, u64 size, u64 address, struct whose whose)
{
    if (whose.is_kernel)
        return bpf_probe_read_kernel_str(to, size, address);
    long length = bpf_probe_read_user_str(to, size, address);
    return length > 0 || !whose.may_sleep ? length : bring_in_text(to, size, address);
}
