#ifndef PROBESTREAM_STAPSDT_H
#define PROBESTREAM_STAPSDT_H
/*
 * A USDT probe: a nop, and a note of type 3 and owner stapsdt in section .note.stapsdt that says where the nop is, where
 * the section .stapsdt.base was when it was said, where the semaphore is, the provider, the name, and where each
 * argument is at the nop ("-4@%eax": four bytes, signed, in eax). Whoever attaches raises the semaphore.
 * Operands follow the arguments' text; %c[semaphore] is the probe's place in probestream_semaphores, in bytes.
 */
#include <stdint.h>

#define PROBE_SITE(provider, name, index, arguments, ...)                                                              \
    __asm__ volatile("990: nop\n"                                                                                      \
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
