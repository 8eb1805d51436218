package dev.probestream.bpf.btf;

/**
 * A number in an instruction that depends on the kernel's types: {@code struct bpf_core_relo} of linux/bpf.h.
 *
 * @param section the name of the section that holds the instruction
 * @param offsetBytes of the instruction in its section
 * @param typeId the type in the object's BTF; 0 = void
 * @param access the indices of members from the type on, such as {@code 0:1:2}; of an enumerator its index
 * @param kind what the number is
 */
public record CoreRelocation(String section, int offsetBytes, int typeId, String access, CoreKind kind) {}
