package dev.probestream.bpf.usdt;

import java.util.List;

/**
 * One attach point of a USDT probe: the content of a stapsdt note, with addresses corrected for prelink.
 *
 * @param provider as written in the note
 * @param name as written in the note, with double underscores
 * @param virtualAddress of the instruction, in terms of the program headers
 * @param fileOffset of the instruction, in bytes from the start of the file: what a uprobe takes
 * @param baseVirtualAddress the note's own base, as written; 0 = none
 * @param semaphoreVirtualAddress of the 16-bit counter of attached tracers; 0 = the probe has none
 * @param semaphoreFileOffset of that counter: the {@code ref_ctr_offset} of a uprobe; 0 = none
 * @param argumentText as written in the note
 * @param arguments as read from it; one that cannot be parsed is {@link UsdtOperand.Kind#UNREADABLE}
 */
public record UsdtNote(
        String provider,
        String name,
        long virtualAddress,
        long fileOffset,
        long baseVirtualAddress,
        long semaphoreVirtualAddress,
        long semaphoreFileOffset,
        String argumentText,
        List<UsdtArgument> arguments) {
    public UsdtNote {
        arguments = List.copyOf(arguments);
    }

    /** {@return {@code PROVIDER:NAME}} */
    public String qualifiedName() {
        return provider + ":" + name;
    }
}
