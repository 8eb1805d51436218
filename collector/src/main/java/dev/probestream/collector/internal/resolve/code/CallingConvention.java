package dev.probestream.collector.internal.resolve.code;

/** How a function gets its arguments. */
public enum CallingConvention {
    /** System V AMD64, AAPCS64: the first in registers, the rest on the stack. */
    C,
    /** Go's ABIInternal since 1.17 (amd64) and 1.18 (arm64): words in Go's own row of registers. */
    GO_REGISTERS,
    /** Go's ABI0: all words on the stack, behind the return address; of older Go, and of functions in assembly. */
    GO_STACK
}
