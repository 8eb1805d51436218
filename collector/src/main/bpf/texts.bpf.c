/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of a process that are not resident. Programs read a text by bpf_probe_read_user_str(), which fails where a page is not
 * there; those that may sleep call this then. It is seldom: a program has mostly just written the text, or read it.
 */
#include "memory.h"

/*
 * Reads a text that could not be read at once.
 *
 * size: of the room, the NUL included
 *
 * Returns how many bytes were written, the NUL included; 0 = it cannot be read.
 */
LINKED int read_absent_text(u8 *to, u64 size, u64 address)
{
    long length = bring_in_text(to, size, address);
    return length > 0 ? length : 0;
}
