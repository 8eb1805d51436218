package dev.probestream.bpf.btf;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;

/** Finds one member of a structure or union, also within its anonymous structures and unions, as C does. */
final class MemberSearch {
    /** More anonymous structures than any kernel nests; bounds the work on structures that hold themselves. */
    private static final int MAX_STRUCTURES = 1000;

    /** A member: its type without qualifiers, and its offset in bits from the start of the structure. */
    record Member(long bits, int bitSize, int typeId) {}

    private final BtfFile btf;
    private final byte[] name;
    private int structures;

    private MemberSearch(BtfFile btf, String name) {
        this.btf = btf;
        this.name = name.getBytes(UTF_8);
    }

    static Optional<Member> find(BtfFile btf, int structureId, String name) throws BtfFormatException {
        return name.isEmpty() ? Optional.empty() : new MemberSearch(btf, name).find(structureId);
    }

    private Optional<Member> find(int structureId) throws BtfFormatException {
        if (++structures > MAX_STRUCTURES) {
            throw btf.malformedType(structureId, "holds itself");
        }
        for (int i = 0; i < btf.memberCount(structureId); i++) {
            if (btf.isMemberNamed(structureId, i, name)) {
                return Optional.of(member(btf, structureId, i));
            }
        }
        for (int i = 0; i < btf.memberCount(structureId); i++) {
            Member outer = member(btf, structureId, i);
            if (btf.isMemberAnonymous(structureId, i)
                    && outer.typeId() != 0
                    && btf.kind(outer.typeId()).isComposite()) {
                Optional<Member> inner = find(outer.typeId());
                if (inner.isPresent()) {
                    return inner.map(found -> new Member(outer.bits() + found.bits(), found.bitSize(), found.typeId()));
                }
            }
        }
        return Optional.empty();
    }

    /** {@code index} is below the number of members. */
    static Member member(BtfFile btf, int structureId, int index) throws BtfFormatException {
        int offset = btf.memberOffset(structureId, index);
        int type = TypeChain.bare(btf, btf.memberTypeId(structureId, index));
        return btf.kindFlag(structureId)
                ? new Member(offset & 0xffffff, offset >>> 24, type)
                : new Member(Integer.toUnsignedLong(offset), 0, type);
    }
}
