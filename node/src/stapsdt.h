#ifndef PROBESTREAM_STAPSDT_H
#define PROBESTREAM_STAPSDT_H
/*
 * A USDT probe: a nop, and a note of type 3 and owner stapsdt in section .note.stapsdt that says where the nop is, where
 * the section .stapsdt.base was when it was said, where the semaphore is, the provider, the name, and where each
 * argument is at the nop ("-4@%eax": four bytes, signed, in eax). Whoever attaches raises the semaphore.
 * On x86-64 the nop has five bytes: Linux 6.18 and later put a call there for a probe, which costs a third less than a
 * trap. A call writes below the stack pointer, so this is compiled with -mno-red-zone.
 * Operands follow the arguments' text; %c[semaphore] is the probe's place in probestream_semaphores, in bytes.
 */
#include <stdint.h>

#ifdef __x86_64__
#define PROBE_NOP ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00"
#else
#define PROBE_NOP "nop"
#endif

#define PROBE_SITE(provider, name, index, arguments, ...)                                                              \
    __asm__ volatile("990: " PROBE_NOP "\n"                                                                                \
                     ".pushsection .note.stapsdt,\"\",\"note\"\n"                                                      \
                     ".balign 4\n"                                                                                     \
                     ".4byte 992f-991f, 994f-993f, 3\n"                                                                \
                     "991: .asciz \"stapsdt\"\n"                                                                       \
                     "992: .balign 4\n"                                                                                \
                     "993: .8byte 990b, _.stapsdt.base, probestream_semaphores+%c[semaphore]\n"                        \
                     ".asciz \"" provider "\"\n"                                                                       \
                     ".asciz \"" name "\"\n"                                                                           \
                     ".asciz \"" arguments "\"\n"                                                                      \
                     "994: .balign 4\n"                                                                                \
                     ".popsection\n"                                                                                   \
                     ".ifndef _.stapsdt.base\n"                                                                        \
                     ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"                           \
                     ".weak _.stapsdt.base\n"                                                                          \
                     ".hidden _.stapsdt.base\n"                                                                        \
                     "_.stapsdt.base: .space 1\n"                                                                      \
                     ".size _.stapsdt.base, 1\n"                                                                       \
                     ".popsection\n"                                                                                   \
                     ".endif\n" ::[semaphore] "i"((index) * sizeof(uint16_t)),                                         \
                     __VA_ARGS__                                                                                       \
                     : "memory")

#endif
