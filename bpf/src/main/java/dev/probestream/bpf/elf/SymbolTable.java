package dev.probestream.bpf.elf;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.IntPredicate;

/**
 * A .symtab or .dynsym as in the file, without an object per symbol (elf.h, Elf64_Sym, 24 bytes):
 *
 * <pre>
 * 0 st_name:4 (offset in the string table) 4 st_info:1 (binding << 4 | type) 5 st_other:1 6 st_shndx:2
 * 8 st_value:8 (virtual address) 16 st_size:8
 * </pre>
 */
final class SymbolTable {
    static final SymbolTable EMPTY = new SymbolTable("", 0, ByteBuffer.allocate(0), new byte[0]);

    private static final int SYMBOL_BYTES = 24;
    private static final int STT_FUNC = 2;
    private static final int STT_TLS = 6;
    private static final int STT_GNU_IFUNC = 10;
    private static final int STB_LOCAL = 0;
    private static final int STB_GLOBAL = 1;
    private static final int SHN_UNDEF = 0;

    private final String file;
    private final long offsetInFile;
    private final ByteBuffer symbols;
    private final byte[] strings;

    private SymbolTable(String file, long offsetInFile, ByteBuffer symbols, byte[] strings) {
        this.file = file;
        this.offsetInFile = offsetInFile;
        this.symbols = symbols;
        this.strings = strings;
    }

    static SymbolTable read(ElfBytes bytes, ElfHeaders headers, int sectionType) throws IOException {
        for (ElfHeaders.Section section : headers.sections()) {
            if (section.type() == sectionType && !section.isCompressed()) {
                return read(bytes, headers, section);
            }
        }
        return EMPTY;
    }

    private static SymbolTable read(ElfBytes bytes, ElfHeaders headers, ElfHeaders.Section section) throws IOException {
        if (section.link() < 0 || section.link() >= headers.sections().size()) {
            throw bytes.malformed(
                    section.offsetInFile(), section.name() + " has its strings in section " + section.link());
        }
        ElfHeaders.Section stringSection = headers.sections().get(section.link());
        byte[] strings = bytes.copy(stringSection.offsetInFile(), stringSection.sizeBytes(), stringSection.name());
        if (strings.length == 0 || strings[strings.length - 1] != 0) {
            throw bytes.malformed(stringSection.offsetInFile(), stringSection.name() + " does not end with a zero");
        }
        long wholeSymbols = section.sizeBytes() - section.sizeBytes() % SYMBOL_BYTES;
        return new SymbolTable(
                bytes.file(),
                section.offsetInFile(),
                bytes.region(section.offsetInFile(), wholeSymbols, section.name()),
                strings);
    }

    int count() {
        return symbols.capacity() / SYMBOL_BYTES;
    }

    byte[] strings() {
        return strings;
    }

    /** A defined function or variable: something with an address. A thread-local variable has none. */
    boolean isAddressed(int index) {
        int type = type(index);
        return type <= STT_FUNC && symbols.getShort(index * SYMBOL_BYTES + 6) != SHN_UNDEF;
    }

    /** A defined function, direct or indirect; its size may be 0. */
    boolean isCode(int index) {
        int type = type(index);
        return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbols.getShort(index * SYMBOL_BYTES + 6) != SHN_UNDEF;
    }

    boolean isIndirect(int index) {
        return type(index) == STT_GNU_IFUNC;
    }

    boolean isLocal(int index) {
        return binding(index) == STB_LOCAL;
    }

    boolean isGlobal(int index) {
        return binding(index) == STB_GLOBAL;
    }

    long virtualAddress(int index) {
        return symbols.getLong(index * SYMBOL_BYTES + 8);
    }

    long sizeBytes(int index) {
        return symbols.getLong(index * SYMBOL_BYTES + 16);
    }

    /** Where the name starts in {@link #strings}. */
    int nameStart(int index) throws ElfFormatException {
        int start = symbols.getInt(index * SYMBOL_BYTES);
        if (start < 0 || start >= strings.length) {
            throw new ElfFormatException(
                    file,
                    offsetInFile + (long) index * SYMBOL_BYTES,
                    "the name of symbol " + index + " is outside the string table");
        }
        return start;
    }

    /** Where the name that starts at {@code start} ends: before its zero, or before the {@code @} of a version. */
    static int nameEnd(byte[] strings, int start) {
        int end = start;
        while (strings[end] != 0 && (strings[end] != '@' || end == start)) {
            end++;
        }
        return end;
    }

    /** Of the only defined function or variable of this name; of several, if they have one address. */
    OptionalLong addressOf(String name) throws ElfFormatException {
        return valueOf(name, this::isAddressed);
    }

    /** Where in the segment PT_TLS the only thread-local variable of this name is. */
    OptionalLong threadLocalOffset(String name) throws ElfFormatException {
        return valueOf(
                name, index -> type(index) == STT_TLS && symbols.getShort(index * SYMBOL_BYTES + 6) != SHN_UNDEF);
    }

    private OptionalLong valueOf(String name, IntPredicate isWanted) throws ElfFormatException {
        byte[] wanted = name.getBytes(UTF_8);
        boolean isFound = false;
        long address = 0;
        for (int index = 0, count = count(); index < count; index++) {
            if (isWanted.test(index)) {
                int start = nameStart(index);
                if (begins(start, wanted) && nameEnd(strings, start) == start + wanted.length) {
                    if (isFound && virtualAddress(index) != address) {
                        return OptionalLong.empty();
                    }
                    isFound = true;
                    address = virtualAddress(index);
                }
            }
        }
        return isFound ? OptionalLong.of(address) : OptionalLong.empty();
    }

    /** Adds the defined variables whose name begins in one of these ways; of several of one name, the first. */
    void addVariables(List<byte[]> prefixes, Map<String, Long> addresses) throws ElfFormatException {
        for (int index = 0, count = count(); index < count; index++) {
            if (type(index) != STT_FUNC && isAddressed(index)) {
                int start = nameStart(index);
                for (byte[] prefix : prefixes) {
                    if (begins(start, prefix)) {
                        String name = new String(strings, start, nameEnd(strings, start) - start, UTF_8);
                        addresses.putIfAbsent(name, virtualAddress(index));
                        break;
                    }
                }
            }
        }
    }

    /** The last byte differs more often than the first. */
    private boolean begins(int start, byte[] wanted) {
        int end = start + wanted.length;
        return end < strings.length
                && strings[end - 1] == wanted[wanted.length - 1]
                && Arrays.equals(strings, start, end, wanted, 0, wanted.length);
    }

    ElfSymbol symbol(int index, int nameStart) {
        return new ElfSymbol(
                new String(strings, nameStart, nameEnd(strings, nameStart) - nameStart, UTF_8),
                virtualAddress(index),
                sizeBytes(index),
                isLocal(index),
                isIndirect(index));
    }

    private int type(int index) {
        return symbols.get(index * SYMBOL_BYTES + 4) & 0xf;
    }

    private int binding(int index) {
        return (symbols.get(index * SYMBOL_BYTES + 4) & 0xff) >>> 4;
    }
}
