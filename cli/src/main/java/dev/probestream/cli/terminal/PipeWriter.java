package dev.probestream.cli.terminal;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;

/** Buffered standard output that throws when the reader has closed the pipe; {@link PrintWriter} hides that. */
public final class PipeWriter extends Writer {
    private static final int BUFFER_CHARACTERS = 1 << 16;

    private final BufferedWriter buffered;

    public PipeWriter(PrintWriter out) {
        this.buffered = new BufferedWriter(new Checked(out), BUFFER_CHARACTERS);
    }

    /** The reader has closed the pipe. */
    public static final class ReaderGoneException extends IOException {
        private static final long serialVersionUID = 1L;

        ReaderGoneException() {
            super("the reader of standard output has closed the pipe");
        }
    }

    @Override
    public void write(char[] characters, int offset, int length) throws IOException {
        buffered.write(characters, offset, length);
    }

    @Override
    public void flush() throws IOException {
        buffered.flush();
    }

    /** Leaves the underlying stream open. */
    @Override
    public void close() throws IOException {
        buffered.flush();
    }

    private static final class Checked extends Writer {
        private final PrintWriter out;

        private Checked(PrintWriter out) {
            this.out = out;
        }

        @Override
        public void write(char[] characters, int offset, int length) throws IOException {
            out.write(characters, offset, length);
            flush();
        }

        @Override
        public void flush() throws IOException {
            if (out.checkError()) {
                throw new ReaderGoneException();
            }
        }

        @Override
        public void close() {
            // The caller owns the stream.
        }
    }
}
