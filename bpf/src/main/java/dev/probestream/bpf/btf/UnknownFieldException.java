package dev.probestream.bpf.btf;

/** The kernel has no such structure or field; its types differ from version to version. */
public final class UnknownFieldException extends Exception {
    private static final long serialVersionUID = 1;

    UnknownFieldException(String message) {
        super(message);
    }
}
