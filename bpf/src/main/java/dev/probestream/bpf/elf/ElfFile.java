package dev.probestream.bpf.elf;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A 64-bit little-endian ELF executable or shared object: its functions, their file offsets, its notes.
 *
 * <p>Opening reads the headers only; the symbol tables (17 MB in Node's executable) are read with the first question
 * about a function and kept until {@link #close}. A <em>function</em> is a defined STT_FUNC or STT_GNU_IFUNC symbol
 * that has a size and whose code is in the file; .dynsym is searched where .symtab has no match. For one thread at a
 * time.
 *
 * <p>Every method throws {@link ElfFormatException} for a malformed file, and another IOException where the file cannot
 * be read.
 */
public final class ElfFile implements AutoCloseable {
    private static final int NT_GNU_BUILD_ID = 3;

    private final ElfBytes bytes;
    private final @Nullable FileChannel channel;
    private final ElfHeaders headers;
    private final LoadedCode code;
    private final FileSymbols symbols;

    private ElfFile(ElfBytes bytes, @Nullable FileChannel channel, DebugFileSearch debugFileSearch) throws IOException {
        this.bytes = bytes;
        this.channel = channel;
        this.headers = ElfHeaders.read(bytes);
        this.code = new LoadedCode(headers.segments());
        this.symbols = new FileSymbols(bytes, headers, code, new SeparateSymbols(this, code, debugFileSearch));
    }

    /**
     * Opens a regular file, without a debug file; the caller closes it.
     *
     * @param file its path
     * @return what was opened; the caller closes it
     * @throws IOException if the file cannot be read or is malformed
     */
    public static ElfFile open(Path file) throws IOException {
        return open(file, DebugFileSearch.NONE);
    }

    /**
     * Opens a regular file; the caller closes it.
     *
     * @param file its path
     * @param debugFileSearch looks for a separate debug file when one is needed
     * @return what was opened; the caller closes it
     * @throws IOException if the file cannot be read or is malformed
     */
    public static ElfFile open(Path file, DebugFileSearch debugFileSearch) throws IOException {
        if (!Files.isRegularFile(file) && Files.exists(file)) {
            // Opening a fifo or a device may block for ever.
            throw new ElfFormatException(file.toString(), 0, "is not a regular file");
        }
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        try {
            return new ElfFile(new ElfBytes(file.toString(), channel.size(), channel::read), channel, debugFileSearch);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Reads an ELF file in memory (the vDSO), which is borrowed until {@link #close}; errors contain {@code name}.
     *
     * @param name its name
     * @param bytes the contents; not changed afterwards
     * @return the file; the caller closes it
     * @throws IOException if the file cannot be read or is malformed
     */
    public static ElfFile parse(String name, ByteBuffer bytes) throws IOException {
        return parse(name, bytes, DebugFileSearch.NONE);
    }

    /**
     * As {@link #parse(String, ByteBuffer)}, with a debug file.
     *
     * @param name its name
     * @param bytes the contents; not changed afterwards
     * @param debugFileSearch looks for a separate debug file when one is needed
     * @return the file; the caller closes it
     * @throws IOException if the file cannot be read or is malformed
     */
    public static ElfFile parse(String name, ByteBuffer bytes, DebugFileSearch debugFileSearch) throws IOException {
        return new ElfFile(ElfBytes.inMemory(name, bytes), null, debugFileSearch);
    }

    /** {@return the file as it was named when it was opened} */
    public String name() {
        return bytes.file();
    }

    /** {@return the processor that the file is for} */
    public ElfMachine machine() {
        return headers.machine();
    }

    /**
     * ET_DYN: a shared object or PIE, loaded anywhere; else virtual addresses are those in the process.
     *
     * @return whether the file is ET_DYN
     */
    public boolean isPositionIndependent() {
        return headers.isDynamic();
    }

    /**
     * {@return whether only the functions of .dynsym have names: .symtab was stripped off, and there is no debug file}
     *
     * @throws IOException if the file cannot be read or is malformed
     */
    public boolean isStripped() throws IOException {
        return symbols.areStripped();
    }

    /**
     * {@return whether there is a section of this name}
     *
     * @param name such as {@code .text}
     */
    public boolean hasSection(String name) {
        return headers.sections().stream().anyMatch(section -> section.name().equals(name));
    }

    /**
     * {@return the virtual address of the section; empty if there is no section of this name}
     *
     * @param name its name
     */
    public OptionalLong sectionAddress(String name) {
        return headers.sections().stream()
                .filter(section -> section.name().equals(name))
                .mapToLong(ElfHeaders.Section::virtualAddress)
                .findFirst();
    }

    /**
     * {@return a copy of the section; empty if there is no section of this name or it has no bytes in the file}
     *
     * @param name its name
     * @param maxBytes a larger section is an error
     * @throws IOException if the file cannot be read or is malformed
     */
    public Optional<byte[]> sectionBytes(String name, int maxBytes) throws IOException {
        for (ElfHeaders.Section section : headers.sections()) {
            if (section.name().equals(name) && section.type() != ElfHeaders.Section.SHT_NOBITS) {
                if (section.sizeBytes() < 0 || section.sizeBytes() > maxBytes) {
                    throw malformed(
                            section.offsetInFile(),
                            name + " has " + Long.toUnsignedString(section.sizeBytes()) + " bytes, at most " + maxBytes
                                    + " are read");
                }
                return Optional.of(bytes.copy(section.offsetInFile(), section.sizeBytes(), name));
            }
        }
        return Optional.empty();
    }

    /**
     * {@return the name and checksum of a separate debug file, as the file gives them}
     *
     * @throws IOException if the file cannot be read or is malformed
     */
    public Optional<DebugLink> debugLink() throws IOException {
        return DebugLink.read(this);
    }

    /**
     * In the order of the file.
     *
     * @return all notes of the file
     * @throws IOException if the file cannot be read or is malformed
     */
    public List<Note> notes() throws IOException {
        return NoteReader.read(bytes, headers);
    }

    /**
     * {@return the notes of the sections of this name only, in the order of the file; no other section is read}
     *
     * @param section such as {@code .note.stapsdt}
     * @throws IOException if the file cannot be read or is malformed
     */
    public List<Note> notesIn(String section) throws IOException {
        return NoteReader.readSections(bytes, headers, section);
    }

    /**
     * {@return an exception about this file, for readers of the content of notes}
     *
     * @param offsetInFile in bytes
     * @param problem what is wrong
     */
    public ElfFormatException malformed(long offsetInFile, String problem) {
        return bytes.malformed(offsetInFile, problem);
    }

    /**
     * {@return the linker's build id in hexadecimal, which a separate debug file shares}
     *
     * @throws IOException if the file cannot be read or is malformed
     */
    public Optional<String> buildId() throws IOException {
        for (Note note : notes()) {
            if (note.type() == NT_GNU_BUILD_ID && note.owner().equals("GNU")) {
                byte[] id = new byte[note.description().remaining()];
                note.description().get(0, id);
                return Optional.of(HexFormat.of().formatHex(id));
            }
        }
        return Optional.empty();
    }

    /**
     * {@return how many functions have names}
     *
     * @throws IOException if the file cannot be read or is malformed
     */
    public int functionCount() throws IOException {
        return symbols.count();
    }

    /**
     * {@return all of them, in the order of the tables}
     *
     * @throws IOException if the file cannot be read or is malformed
     */
    public Iterable<ElfSymbol> allFunctions() throws IOException {
        return symbols.all();
    }

    /**
     * {@return the function of exactly this name as the file has it; a global one before a local one, else the first}
     *
     * @param exactName as the symbol table has it
     * @throws IOException if the file cannot be read or is malformed
     */
    public Optional<ElfSymbol> function(String exactName) throws IOException {
        return functionsNamed(exactName).stream().findFirst();
    }

    /**
     * {@return all functions of exactly this name: several source files may each have a static one} Global ones first.
     *
     * @param exactName as the symbol table has it
     * @throws IOException if the file cannot be read or is malformed
     */
    public List<ElfSymbol> functionsNamed(String exactName) throws IOException {
        return symbols.named(exactName);
    }

    /**
     * {@return the functions whose name in the file matches a glob of {@code *} and {@code ?}, in the order of the
     * tables} The copies and fragments that compilers make ({@code .cold}, {@code .part.N}, {@code .constprop.N},
     * {@code .isra.N}) match only if the glob holds a dot.
     *
     * @param glob as in {@link Glob}
     * @throws IOException if the file cannot be read or is malformed
     */
    public List<ElfSymbol> functions(String glob) throws IOException {
        return symbols.matching(new Glob(glob));
    }

    /**
     * {@return the C++ functions of a name as {@code v8::internal::Heap::CollectGarbage}: all overloads, const or not,
     * and all instances of templates, but no compiler's copy} A component may be a glob ({@code
     * v8::*::Heap::Collect*}), in which {@code *} does not cross {@code ::}. A constructor is {@code Heap::Heap}, a
     * destructor {@code Heap::~Heap}.
     *
     * @param qualifiedName without template arguments and parameters
     * @throws IOException if the file cannot be read or is malformed
     */
    public List<ElfSymbol> cxxFunctions(String qualifiedName) throws IOException {
        return symbols.matching(new CxxName(qualifiedName));
    }

    /**
     * {@return the copies that the compiler made of a function: {@code f.part.N}, {@code f.constprop.N}, {@code f.isra.N}}
     * Often they are all that is left of a static function. Their arguments may be others than in the source.
     *
     * @param name as the file has it, or the qualified name of a C++ function
     * @throws IOException if the file cannot be read or is malformed
     */
    public List<ElfSymbol> copiesOf(String name) throws IOException {
        return symbols.matching(new CompilerCopies(name));
    }

    /**
     * {@return at most {@code count} similar names, the most similar first; C++ functions by their qualified name}
     *
     * @param wanted the name that is missing
     * @param count how many at most
     * @throws IOException if the file cannot be read or is malformed
     */
    public List<String> nearestNames(String wanted, int count) throws IOException {
        NearestNames nearest = new NearestNames(wanted, count);
        symbols.matching(nearest);
        return nearest.nearestFirst();
    }

    /**
     * {@return the virtual address of the function or variable of exactly this name; empty where there is none, where
     * it was stripped off, where each thread has its own, and where several differ}
     *
     * @param exactName as the symbol table has it
     * @throws IOException if the file cannot be read or is malformed
     */
    public OptionalLong symbolAddress(String exactName) throws IOException {
        return symbols.addressOf(exactName);
    }

    /**
     * {@return the virtual addresses of the variables whose names begin so, by name} Those of a debug file count, too;
     * of several of one name, the first is taken. The symbol tables are read once, however many prefixes there are.
     *
     * @param prefixes such as {@code v8dbg_}
     * @throws IOException if the file cannot be read or is malformed
     */
    public Map<String, Long> variableAddresses(String... prefixes) throws IOException {
        return symbols.variableAddresses(prefixes);
    }

    /**
     * {@return what is to be added to a thread's pointer (fs_base) to get the address of this thread-local variable of
     * an executable for x86-64} The executable's variables end where the pointer points to (variant II of "ELF Handling
     * For Thread-Local Storage"); those of a shared object have no such place, so that there is none for them here.
     *
     * @param exactName as the symbol table has it
     * @throws IOException if the file cannot be read or is malformed
     */
    public OptionalLong threadPointerOffset(String exactName) throws IOException {
        OptionalLong offset = symbols.threadLocalOffset(exactName);
        for (ElfHeaders.Segment segment : headers.segments()) {
            if (segment.type() == ElfHeaders.Segment.PT_TLS
                    && offset.isPresent()
                    && machine() == ElfMachine.X86_64
                    && hasSection(".interp")) {
                long alignment = Math.max(1, segment.alignment());
                long size = -Math.floorDiv(-segment.sizeInMemoryBytes(), alignment) * alignment;
                return OptionalLong.of(offset.getAsLong() - size);
            }
        }
        return OptionalLong.empty();
    }

    /**
     * {@return the file offset of the function's first instruction, as a uprobe takes it}
     *
     * @param symbol a function of this file
     * @throws IOException if the file cannot be read or is malformed
     */
    public long fileOffset(ElfSymbol symbol) throws IOException {
        return fileOffsetOfVirtualAddress(symbol.virtualAddress())
                .orElseThrow(() -> bytes.malformed(
                        0,
                        symbol.name() + " at virtual address 0x" + Long.toHexString(symbol.virtualAddress())
                                + " is in no PT_LOAD segment"));
    }

    /**
     * Empty for an address outside the loaded parts of the file (.bss, or no segment).
     *
     * @param virtualAddress as in the program headers
     * @return the offset in the file in bytes
     */
    public OptionalLong fileOffsetOfVirtualAddress(long virtualAddress) {
        return code.fileOffset(virtualAddress);
    }

    /**
     * {@return the function whose code holds this byte of the file} Symbols without a size count here and reach to the
     * next symbol. The first call sorts the symbols.
     *
     * @param fileOffset in bytes
     * @throws IOException if the file cannot be read or is malformed
     */
    public Optional<ElfSymbol> functionCovering(long fileOffset) throws IOException {
        OptionalLong virtualAddress = code.virtualAddress(fileOffset);
        return virtualAddress.isEmpty() ? Optional.empty() : symbols.covering(virtualAddress.getAsLong());
    }

    /**
     * Reads and sorts the symbols of the file itself, as the first {@link #functionCovering} does.
     *
     * @throws IOException if the file cannot be read or is malformed
     */
    public void sortFunctions() throws IOException {
        symbols.sort();
    }

    /**
     * {@return at most {@code count} bytes of what is loaded at this address; none where nothing of the file is}
     *
     * @param virtualAddress as in the program headers
     * @param count how many at most
     * @throws IOException if the file cannot be read or is malformed
     */
    public ByteBuffer bytesAt(long virtualAddress, int count) throws IOException {
        OptionalLong offset = code.fileOffset(virtualAddress);
        if (offset.isEmpty()) {
            return ByteBuffer.allocate(0);
        }
        long length = Math.max(0, Math.min(count, bytes.sizeBytes() - offset.getAsLong()));
        return bytes.region(offset.getAsLong(), length, "what is loaded at 0x" + Long.toHexString(virtualAddress));
    }

    /**
     * {@return the first {@code count} bytes of the function, or fewer where it is shorter}
     *
     * @param symbol a function of this file
     * @param count how many at most
     * @throws IOException if the file cannot be read or is malformed
     */
    public byte[] code(ElfSymbol symbol, int count) throws IOException {
        long length = Math.min(count, symbol.sizeBytes());
        return bytes.copy(fileOffset(symbol), length, "the code of " + symbol.name());
    }

    /** Closes the file; what was returned stays usable, the ElfFile does not. */
    @Override
    public void close() throws IOException {
        symbols.close();
        if (channel != null) {
            channel.close();
        }
    }

    SymbolTable table(int sectionType) throws IOException {
        return symbols.table(sectionType);
    }
}
