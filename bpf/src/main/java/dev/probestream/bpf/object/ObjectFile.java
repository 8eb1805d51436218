package dev.probestream.bpf.object;

import dev.probestream.bpf.btf.BtfFormatException;
import dev.probestream.bpf.elf.ElfFormatException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads objects that clang compiled for BPF ({@code clang -g -O2 -target bpf -c}): little-endian ELF with .BTF.
 */
public final class ObjectFile {
    /** Ten times the largest object of Cilium, with its debug information. */
    private static final int MAX_FILE_BYTES = 1 << 25;

    private ObjectFile() {}

    /**
     * Reads an object from a file.
     *
     * @param file its path
     * @return its programs, maps and variables
     * @throws BpfObjectException if it is malformed, or holds what is not supported
     * @throws IOException if the file cannot be read
     */
    public static ObjectSpec read(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new BpfObjectException(file.toString(), "", 0, "is not a regular file");
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MAX_FILE_BYTES + 1);
            if (bytes.length > MAX_FILE_BYTES) {
                throw new BpfObjectException(
                        file.toString(), "", MAX_FILE_BYTES, "is larger than " + MAX_FILE_BYTES + " bytes");
            }
            return parse(file.toString(), ByteBuffer.wrap(bytes));
        }
    }

    /**
     * Reads an object in memory, such as a resource of a jar.
     *
     * @param name for errors
     * @param bytes the contents; not changed afterwards
     * @return its programs, maps and variables
     * @throws BpfObjectException if it is malformed, or holds what is not supported
     */
    public static ObjectSpec parse(String name, ByteBuffer bytes) throws BpfObjectException {
        try {
            return new ObjectSpec(ObjectContents.read(name, bytes));
        } catch (BpfObjectException e) {
            throw e;
        } catch (ElfFormatException e) {
            throw new BpfObjectException(name, "", e.offsetInFile(), String.valueOf(e.getMessage()), e);
        } catch (BtfFormatException e) {
            throw new BpfObjectException(name, ".BTF", e.offsetInFile(), String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw new BpfObjectException(name, "", 0, String.valueOf(e.getMessage()), e);
        }
    }
}
