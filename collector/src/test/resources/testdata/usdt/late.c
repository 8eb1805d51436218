/* A library with USDT sites: late:hit and, for globs, late:other. To be had otherwise by definition:
 *   PROVIDER     another provider than late
 *   ARGUMENTS    of late:hit
 *   SEMAPHORE    of late:hit and the many; "0" = none
 *   PASSES       a function by which late_call passes the sites
 *   MANY         late:many00 to late:many69, which nobody passes */
#ifndef PROVIDER
#define PROVIDER "late"
#endif
#ifndef ARGUMENTS
#define ARGUMENTS "-8@%rdi"
#endif
#ifndef SEMAPHORE
#define SEMAPHORE "late_semaphore"
#endif

#define SITE(name, arguments, semaphore)                                                                     \
    "990: nop\n"                                                                                             \
    ".pushsection .note.stapsdt,\"\",\"note\"\n"                                                             \
    ".balign 4\n"                                                                                            \
    ".4byte 992f-991f, 994f-993f, 3\n"                                                                       \
    "991: .asciz \"stapsdt\"\n"                                                                              \
    "992: .balign 4\n"                                                                                       \
    "993: .8byte 990b, _.stapsdt.base, " semaphore "\n"                                                      \
    ".asciz \"" PROVIDER "\", \"" name "\", \"" arguments "\"\n"                                             \
    "994: .balign 4\n"                                                                                       \
    ".popsection\n"

__asm__(".pushsection .stapsdt.base,\"a\",\"progbits\"\n_.stapsdt.base: .space 1\n.popsection\n");

__attribute__((section(".probes"), used, visibility("hidden"))) volatile unsigned short late_semaphore = 0;
__attribute__((section(".probes"), used, visibility("hidden"))) volatile unsigned short other_semaphore = 0;

void late_hit(long value);

/* The kernel counts a semaphore up before it puts the breakpoint in (kernel/events/uprobes.c, uprobe_write_opcode): a
 * site is watched only when its nop is gone. late:other stands one nop behind late:hit. */
static int is_nop(int site) {
#ifdef __x86_64__
    return ((const volatile unsigned char *) late_hit)[site] == 0x90;
#else
    (void) site;
    return 0;
#endif
}

/* Not 0 only while somebody watches, so that a caller can wait for that: 1 late:hit, 2 late:other, 3 both. */
int late_is_watched(void) {
    return (late_semaphore != 0 && !is_nop(0)) + 2 * (other_semaphore != 0 && !is_nop(1));
}

__asm__(".pushsection .text\n.globl late_hit\n.type late_hit, @function\nlate_hit:\n" SITE("hit", ARGUMENTS, SEMAPHORE)
        SITE("other", "-4@%edi", "other_semaphore") "ret\n.size late_hit, . - late_hit\n.popsection\n");

/* What a compiler leaves of a static function whose argument it passes in another way. */
void late_static(void) __asm__("late_static.isra.0");
void late_static(void) {}

#ifdef PASSES
__attribute__((noinline)) void PASSES(long value) {
    late_hit(value);
    __asm__ volatile("");
}
#else
#define PASSES late_hit
#endif

/* Begins with no site. */
long late_call(long value) {
    PASSES(value);
    return 2 * value;
}

#ifdef MANY
__asm__(".pushsection .text\n"
        ".irp tens,0,1,2,3,4,5,6\n.irp ones,0,1,2,3,4,5,6,7,8,9\n" SITE("many\\tens\\ones", "", SEMAPHORE)
        ".endr\n.endr\nret\n.popsection\n");
#endif
