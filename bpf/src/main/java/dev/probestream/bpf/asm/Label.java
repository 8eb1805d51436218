package dev.probestream.bpf.asm;

/** A position in a program that jumps may refer to before it is known. Made by {@link Assembler#newLabel}. */
public final class Label {
    static final int UNBOUND = -1;

    private final Assembler owner;
    private final int number;
    private int position = UNBOUND;

    Label(Assembler owner, int number) {
        this.owner = owner;
        this.number = number;
    }

    Assembler owner() {
        return owner;
    }

    int position() {
        return position;
    }

    void bindTo(int newPosition) {
        if (position != UNBOUND) {
            throw new IllegalStateException(this + " is bound already, to instruction " + position);
        }
        position = newPosition;
    }

    @Override
    public String toString() {
        return "label " + number;
    }
}
