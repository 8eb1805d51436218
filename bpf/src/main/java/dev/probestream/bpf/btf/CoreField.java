package dev.probestream.bpf.btf;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A field that a relocation refers to, in the object's types or in the kernel's: the way to it by names of members and
 * indices of arrays, and where it is. Members of anonymous structures are searched as C does, so the two ways may differ
 * in them.
 *
 * @param bits its offset from the start of the root type, in bits
 * @param bitSize of a bit field; else 0
 * @param typeId its type, typedefs and qualifiers taken off; 0 = void
 * @param isRoot whether it is the root type itself, or an element of an array of it
 * @param steps the way
 */
record CoreField(BtfFile btf, long bits, int bitSize, int typeId, boolean isRoot, List<Step> steps) {
    /** tools/lib/bpf/relo_core.h: BPF_CORE_SPEC_MAX_LEN. */
    private static final int MAX_STEPS = 64;

    /**
     * @param name of a member; "" for an element of an array
     * @param index of the element
     * @param typeId of the member in the object's types
     */
    record Step(String name, long index, int typeId) {}

    /** The field in the types of the object, by its indices. */
    static CoreField local(BtfFile btf, int rootId, long[] access) throws BtfFormatException {
        if (access.length == 0 || access.length > MAX_STEPS) {
            throw btf.malformedType(rootId, "is accessed with " + access.length + " indices");
        }
        long bits = product(btf, rootId, access[0], TypeChain.sizeBytes(btf, rootId));
        List<Step> steps = new ArrayList<>();
        int bitSize = 0;
        int id = TypeChain.bare(btf, rootId);
        for (int i = 1; i < access.length; i++) {
            if (id == 0) {
                throw btf.malformedType(rootId, "is accessed through void");
            }
            if (btf.kind(id).isComposite()) {
                if (access[i] >= btf.memberCount(id)) {
                    throw btf.malformedType(id, "has no member " + access[i]);
                }
                MemberSearch.Member member = MemberSearch.member(btf, id, (int) access[i]);
                bits += member.bits();
                bitSize = member.bitSize();
                if (!btf.isMemberAnonymous(id, (int) access[i])) {
                    steps.add(new Step(btf.memberName(id, (int) access[i]), 0, member.typeId()));
                }
                id = member.typeId();
            } else if (btf.kind(id) == BtfKind.ARRAY) {
                long count = btf.elementCount(id);
                if (count != 0 && access[i] >= count && count != 1) {
                    throw btf.malformedType(id, "has no element " + access[i]);
                }
                bits += product(btf, id, access[i], TypeChain.sizeBytes(btf, btf.elementId(id)));
                steps.add(new Step("", access[i], 0));
                id = TypeChain.bare(btf, btf.elementId(id));
                bitSize = 0;
            } else {
                throw btf.malformedType(id, "of kind " + btf.kind(id) + " has no members");
            }
        }
        return new CoreField(btf, bits, bitSize, id, access.length == 1, steps);
    }

    /** The same field in other types; empty where they do not have it. */
    Optional<CoreField> in(BtfFile target, int rootId, long rootIndex) throws BtfFormatException {
        long offset = product(target, rootId, rootIndex, TypeChain.sizeBytes(target, rootId));
        int size = 0;
        int id = TypeChain.bare(target, rootId);
        for (Step step : steps) {
            if (id == 0) {
                return Optional.empty();
            }
            if (step.name().isEmpty()) {
                if (target.kind(id) != BtfKind.ARRAY
                        || (target.elementCount(id) != 0 && step.index() >= target.elementCount(id))) {
                    return Optional.empty();
                }
                offset += product(target, id, step.index(), TypeChain.sizeBytes(target, target.elementId(id)));
                id = TypeChain.bare(target, target.elementId(id));
                size = 0;
            } else {
                Optional<MemberSearch.Member> member =
                        target.kind(id).isComposite() ? MemberSearch.find(target, id, step.name()) : Optional.empty();
                if (member.isEmpty()
                        || !CoreCompatibility.ofFields(
                                btf, step.typeId(), target, member.get().typeId())) {
                    return Optional.empty();
                }
                offset += member.get().bits();
                size = member.get().bitSize();
                id = member.get().typeId();
            }
        }
        return Optional.of(new CoreField(target, offset, size, id, isRoot, steps));
    }

    /** The number of this kind for the field. */
    CoreValue value(CoreKind kind) throws BtfFormatException {
        long wholeBytes = TypeChain.sizeBytes(btf, typeId);
        long loadBytes = bitSize == 0 ? wholeBytes : loadBytes(wholeBytes);
        long byteOffset = bitSize == 0 ? bits / 8 : bits / 8 / loadBytes * loadBytes;
        long width = bitSize == 0 ? wholeBytes * 8 : bitSize;
        return switch (kind) {
            case FIELD_BYTE_OFFSET ->
                bitSize == 0 && !isRoot
                        ? new CoreValue(byteOffset, wholeBytes, isResizable())
                        : CoreValue.of(byteOffset);
            case FIELD_BYTE_SIZE -> CoreValue.of(bitSize == 0 ? wholeBytes : loadBytes);
            case FIELD_EXISTS -> CoreValue.of(1);
            case FIELD_SIGNED -> CoreValue.of(isSigned() ? 1 : 0);
            case FIELD_LSHIFT_U64 -> CoreValue.of(64 - (bits + width - byteOffset * 8));
            case FIELD_RSHIFT_U64 -> CoreValue.of(64 - width);
            case TYPE_ID_LOCAL, TYPE_ID_TARGET, TYPE_EXISTS, TYPE_SIZE, ENUMVAL_EXISTS, ENUMVAL_VALUE, TYPE_MATCHES ->
                throw new IllegalArgumentException(kind + " is not about a field");
        };
    }

    /** The size of the aligned load that holds all of a bit field: that of its type or wider. */
    private long loadBytes(long typeBytes) throws BtfFormatException {
        long size = Math.max(1, typeBytes);
        while (bits + bitSize - bits / 8 / size * size * 8 > size * 8) {
            size *= 2;
            if (size > Long.BYTES) {
                throw btf.malformedType(Math.max(1, typeId), "has a bit field that no load can hold");
            }
        }
        return size;
    }

    private boolean isSigned() {
        return typeId != 0
                && switch (btf.kind(typeId)) {
                    case INT -> btf.isSignedInt(typeId);
                    case ENUM, ENUM64 -> btf.kindFlag(typeId);
                    default -> false;
                };
    }

    private boolean isResizable() {
        return typeId != 0
                && (btf.kind(typeId) == BtfKind.POINTER
                        || (btf.kind(typeId) == BtfKind.INT && !btf.isSignedInt(typeId)));
    }

    private static long product(BtfFile btf, int id, long index, long sizeBytes) throws BtfFormatException {
        if (index < 0 || index > Integer.MAX_VALUE || index * sizeBytes > Integer.MAX_VALUE) {
            throw btf.malformedType(Math.max(1, id), "is accessed beyond 2 GiB");
        }
        return index * sizeBytes * 8;
    }
}
