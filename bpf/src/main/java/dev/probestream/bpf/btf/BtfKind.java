package dev.probestream.bpf.btf;

/** The kind of a BTF type: BTF_KIND_* of include/uapi/linux/btf.h (v6.18), in the order of their numbers from 1. */
public enum BtfKind {
    /** BTF_KIND_INT. */
    INT(4, 0),
    /** BTF_KIND_PTR. */
    POINTER(0, 0),
    /** BTF_KIND_ARRAY. */
    ARRAY(12, 0),
    /** BTF_KIND_STRUCT. */
    STRUCT(0, 12),
    /** BTF_KIND_UNION. */
    UNION(0, 12),
    /** BTF_KIND_ENUM. */
    ENUM(0, 8),
    /** BTF_KIND_FWD. */
    FORWARD(0, 0),
    /** BTF_KIND_TYPEDEF. */
    TYPEDEF(0, 0),
    /** BTF_KIND_VOLATILE. */
    VOLATILE(0, 0),
    /** BTF_KIND_CONST. */
    CONST(0, 0),
    /** BTF_KIND_RESTRICT. */
    RESTRICT(0, 0),
    /** BTF_KIND_FUNC. */
    FUNCTION(0, 0),
    /** BTF_KIND_FUNC_PROTO. */
    FUNCTION_PROTOTYPE(0, 8),
    /** BTF_KIND_VAR. */
    VARIABLE(4, 0),
    /** BTF_KIND_DATASEC. */
    DATA_SECTION(0, 12),
    /** BTF_KIND_FLOAT. */
    FLOAT(0, 0),
    /** BTF_KIND_DECL_TAG. */
    DECLARATION_TAG(4, 0),
    /** BTF_KIND_TYPE_TAG. */
    TYPE_TAG(0, 0),
    /** BTF_KIND_ENUM64. */
    ENUM64(0, 12);

    private static final BtfKind[] BY_NUMBER = values();

    /** What follows the 12 bytes common to all types: once, and for each of {@code vlen} members. */
    final int extraBytes;

    final int memberBytes;

    BtfKind(int extraBytes, int memberBytes) {
        this.extraBytes = extraBytes;
        this.memberBytes = memberBytes;
    }

    /** Whether it only gives another type a name or a property. */
    boolean isWrapper() {
        return this == TYPEDEF || this == VOLATILE || this == CONST || this == RESTRICT || this == TYPE_TAG;
    }

    boolean isComposite() {
        return this == STRUCT || this == UNION;
    }

    static boolean isKnown(int number) {
        return number >= 1 && number <= BY_NUMBER.length;
    }

    /** {@code number} is known. */
    static BtfKind ofNumber(int number) {
        return BY_NUMBER[number - 1];
    }
}
