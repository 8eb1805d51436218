package dev.probestream.bpf.btf;

import java.util.OptionalInt;

/**
 * The arguments of a raw tracepoint, from its {@code typedef void (*btf_trace_NAME)(void *, …)}.
 *
 * @param name of the tracepoint
 * @param argumentCount the number of u64 in the context of a raw tracepoint program
 */
public record TracepointSignature(String name, int argumentCount) {
    private static final String PREFIX = "btf_trace_";

    /**
     * Looks up the tracepoint.
     *
     * @param btf where to look
     * @param name its name
     * @return the types of its arguments
     * @throws UnknownFieldException when the kernel's BTF has no such tracepoint
     * @throws BtfFormatException if the bytes are malformed
     */
    public static TracepointSignature resolve(BtfFile btf, String name)
            throws BtfFormatException, UnknownFieldException {
        OptionalInt typedef = btf.typeId(PREFIX + name, BtfKind.TYPEDEF);
        if (typedef.isEmpty()) {
            throw new UnknownFieldException(
                    "look up the raw tracepoint " + name + " in the kernel's BTF: there is no type " + PREFIX + name);
        }
        int pointer = TypeChain.bare(btf, typedef.getAsInt());
        if (pointer == 0 || btf.kind(pointer) != BtfKind.POINTER) {
            throw btf.malformedType(typedef.getAsInt(), "is not a pointer to a function");
        }
        int function = TypeChain.bare(btf, btf.referredId(pointer));
        if (function == 0 || btf.kind(function) != BtfKind.FUNCTION_PROTOTYPE) {
            throw btf.malformedType(typedef.getAsInt(), "is not a pointer to a function");
        }
        // The first parameter is the kernel's own (void *__data).
        return new TracepointSignature(name, Math.max(0, btf.memberCount(function) - 1));
    }
}
