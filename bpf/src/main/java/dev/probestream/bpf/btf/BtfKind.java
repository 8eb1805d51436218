package dev.probestream.bpf.btf;

/** The kind of a BTF type: BTF_KIND_* of include/uapi/linux/btf.h (v6.18), in the order of their numbers from 1. */
public enum BtfKind {
    INT(4, 0),
    POINTER(0, 0),
    ARRAY(12, 0),
    STRUCT(0, 12),
    UNION(0, 12),
    ENUM(0, 8),
    FORWARD(0, 0),
    TYPEDEF(0, 0),
    VOLATILE(0, 0),
    CONST(0, 0),
    RESTRICT(0, 0),
    FUNCTION(0, 0),
    FUNCTION_PROTOTYPE(0, 8),
    VARIABLE(4, 0),
    DATA_SECTION(0, 12),
    FLOAT(0, 0),
    DECLARATION_TAG(4, 0),
    TYPE_TAG(0, 0),
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
