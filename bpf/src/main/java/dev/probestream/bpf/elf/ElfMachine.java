package dev.probestream.bpf.elf;

/** The processor architecture of an ELF file: {@code e_machine} (elf.h). */
public enum ElfMachine {
    /** EM_X86_64. */
    X86_64,
    /** EM_AARCH64. */
    AARCH64,
    /** EM_BPF. */
    BPF,
    /** Any other. */
    OTHER;

    /** {@return the machine of this JVM, from the system property {@code os.arch}} */
    public static ElfMachine ofThisHost() {
        return ofArchitecture(System.getProperty("os.arch", ""));
    }

    static ElfMachine ofArchitecture(String osArch) {
        return switch (osArch) {
            case "amd64", "x86_64" -> X86_64;
            case "aarch64", "arm64" -> AARCH64;
            default -> OTHER;
        };
    }

    /** EM_X86_64, EM_AARCH64 and EM_BPF of elf.h. */
    static ElfMachine ofNumber(int eMachine) {
        return switch (eMachine) {
            case 62 -> X86_64;
            case 183 -> AARCH64;
            case 247 -> BPF;
            default -> OTHER;
        };
    }
}
