package dev.probestream.bpf.btf;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The types of an object as the kernel accepts them (kernel/bpf/btf.c), as tools/lib/bpf does: the sections of variables
 * get the sizes and offsets that clang leaves to the linker, external variables and functions become ordinary ones. Two
 * types are added at the end; ids stay.
 */
public final class LoadableBtf {
    private static final int HEADER_BYTES = 24;
    private static final int TYPE_BYTES = 12;

    // BTF_KIND_* of linux/btf.h, where they stand in a type's info.
    private static final int KIND_INT = 1 << 24;
    private static final int KIND_STRUCT = 4 << 24;
    private static final int KIND_UNION = 5 << 24;
    private static final int KIND_CONST = 10 << 24;
    private static final int KIND_FUNC = 12 << 24;
    private static final int KIND_VAR = 14 << 24;

    private static final int BTF_INT_SIGNED = 1 << 24;
    private static final int LINKAGE_GLOBAL = 1;
    private static final int LINKAGE_EXTERN = 2;
    private static final byte[] MORE_STRINGS = "int\0external\0".getBytes(UTF_8);

    private final BtfFile btf;
    private final Layout layout;
    private final ByteBuffer types;
    private final byte[] strings;
    private final int intId;
    private final int externalId;

    /**
     * What only the ELF file has.
     *
     * @param sectionBytes the size of each section, by its name
     * @param variableOffsets the offset of each variable in its section, by its name
     * @param hiddenFunctions the global functions that are declared with hidden visibility, which the verifier treats as
     *     static ones
     */
    public record Layout(
            Map<String, Integer> sectionBytes, Map<String, Integer> variableOffsets, Set<String> hiddenFunctions) {}

    private LoadableBtf(BtfFile btf, Layout layout) {
        this.btf = btf;
        this.layout = layout;
        byte[] own = btf.typeBytes();
        this.types = ByteBuffer.allocate(own.length + 16 + 16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(own);
        this.strings = btf.stringBytes();
        this.intId = btf.typeCount() + 1;
        this.externalId = intId + 1;
    }

    /**
     * {@return the bytes for BPF_BTF_LOAD}
     *
     * @param btf the types of the object
     * @param layout what only the ELF file has
     * @param onlyOldKinds whether kinds since 5.13 (FLOAT, DECL_TAG, TYPE_TAG, ENUM64) are replaced by older ones
     * @throws BtfFormatException if the types are malformed
     */
    public static byte[] of(BtfFile btf, Layout layout, boolean onlyOldKinds) throws BtfFormatException {
        LoadableBtf loadable = new LoadableBtf(btf, layout);
        for (int id = 1; id <= btf.typeCount(); id++) {
            loadable.adapt(id);
            if (onlyOldKinds) {
                loadable.replaceNewKind(id);
            }
        }
        return loadable.bytes();
    }

    private byte[] bytes() {
        types.putInt(strings.length).putInt(KIND_INT).putInt(Integer.BYTES);
        types.putInt(BTF_INT_SIGNED | Integer.SIZE);
        types.putInt(strings.length + 4).putInt(KIND_VAR).putInt(intId);
        types.putInt(LINKAGE_GLOBAL);
        int stringBytes = strings.length + MORE_STRINGS.length;
        ByteBuffer all = ByteBuffer.allocate(HEADER_BYTES + types.capacity() + stringBytes)
                .order(ByteOrder.LITTLE_ENDIAN);
        all.putShort((short) 0xeb9f).put((byte) 1).put((byte) 0).putInt(HEADER_BYTES);
        all.putInt(0).putInt(types.capacity()).putInt(types.capacity()).putInt(stringBytes);
        return all.put(types.array()).put(strings).put(MORE_STRINGS).array();
    }

    private void adapt(int id) throws BtfFormatException {
        int at = btf.positionInTypes(id);
        switch (btf.kind(id)) {
            case VARIABLE -> {
                if (types.getInt(at + TYPE_BYTES) == LINKAGE_EXTERN) {
                    types.putInt(at + 8, intId).putInt(at + TYPE_BYTES, LINKAGE_GLOBAL);
                }
            }
            case FUNCTION -> adaptFunction(id, at);
            case DATA_SECTION -> adaptSection(id, at);
            default -> {
                // the kernel takes it as it is
            }
        }
    }

    private void adaptFunction(int id, int at) throws BtfFormatException {
        int linkage = btf.memberCount(id);
        if (layout.hiddenFunctions().contains(btf.name(id))) {
            types.putInt(at + 4, KIND_FUNC);
        } else if (linkage == LINKAGE_EXTERN) {
            types.putInt(at + 4, KIND_FUNC | LINKAGE_GLOBAL);
            int prototype = btf.referredId(id);
            if (prototype != 0 && btf.kind(prototype) == BtfKind.FUNCTION_PROTOTYPE) {
                nameParameters(prototype);
            }
        }
    }

    /** clang gives the parameters of external functions no names, and the kernel wants some. */
    private void nameParameters(int prototype) {
        int first = btf.positionInTypes(prototype) + TYPE_BYTES;
        for (int i = 0; i < btf.memberCount(prototype); i++) {
            int at = first + 8 * i;
            if (types.getInt(at) == 0 && types.getInt(at + 4) != 0) {
                types.putInt(at, strings.length + 4);
            }
        }
    }

    private void adaptSection(int id, int at) throws BtfFormatException {
        String name = btf.name(id);
        boolean isExternal = name.equals(".ksyms") || name.equals(".kconfig");
        List<int[]> entries = new ArrayList<>();
        for (int i = 0; i < btf.memberCount(id); i++) {
            int variable = btf.variableId(id, i);
            entries.add(
                    isExternal
                            ? new int[] {externalId, 4 * i, 4}
                            : new int[] {
                                variable,
                                layout.variableOffsets().getOrDefault(btf.name(variable), 0),
                                (int) TypeChain.sizeBytes(btf, btf.referredId(variable))
                            });
        }
        entries.sort(Comparator.comparingInt(entry -> entry[1]));
        int size = isExternal ? 4 * entries.size() : layout.sectionBytes().getOrDefault(name, 0);
        types.putInt(at + 8, size);
        int place = at + TYPE_BYTES;
        for (int[] entry : entries) {
            types.putInt(place, entry[0]).putInt(place + 4, entry[1]).putInt(place + 8, entry[2]);
            place += 12;
        }
    }

    /** Each takes as many bytes as what it replaces. */
    private void replaceNewKind(int id) {
        int at = btf.positionInTypes(id);
        int count = btf.memberCount(id);
        switch (btf.kind(id)) {
            case FLOAT -> types.putInt(at + 4, KIND_STRUCT);
            case DECLARATION_TAG ->
                types.putInt(at, strings.length)
                        .putInt(at + 4, KIND_INT)
                        .putInt(at + 8, 1)
                        .putInt(at + TYPE_BYTES, Byte.SIZE);
            case TYPE_TAG -> types.putInt(at, 0).putInt(at + 4, KIND_CONST);
            case ENUM64 -> {
                types.putInt(at + 4, KIND_UNION | count);
                for (int i = 0; i < count; i++) {
                    int member = at + TYPE_BYTES + 12 * i;
                    types.putInt(member + 4, intId).putInt(member + 8, 0);
                }
            }
            default -> {
                // known to every kernel with BTF
            }
        }
    }
}
