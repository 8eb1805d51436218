/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the functions here need of the kernel: types, the helpers with their numbers (enum bpf_func_id in the kernel's
 * include/uapi/linux/bpf.h) and how maps are declared. No header of the system is read, so the object is the same on
 * each machine.
 */
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;
typedef long long s64;

#define SEC(name) __attribute__((section(name), used))
#define inline_always static inline __attribute__((always_inline))

/*
 * A function that assembled programs call by its name. Hidden, so that it is static in BTF and the verifier follows each
 * call with what it knows of the arguments.
 */
#define LINKED __attribute__((visibility("hidden"), noinline, used))

/*
 * A function that the verifier looks at by itself, once for each program, and not again for each call: that takes less of
 * a start. Its arguments are numbers, since Linux 5.6, and pointers to memory of a size that is known, since 5.12.
 */
#define GLOBAL __attribute__((noinline, used))

/* The compiler knows nothing of the variable behind this, as libbpf's macro of this name. */
#define barrier_var(variable) asm volatile("" : "+r"(variable))

/*
 * A structure of the kernel, with what is read of it: each access is recorded, and the loader replaces the place of the field
 * by that in the running kernel (CO-RE). HAS_FIELD is 0 where the kernel has none of this name. The verifier follows none of the
 * branches that such a number excludes, and the kernel removes them.
 */
#define OF_KERNEL __attribute__((preserve_access_index))
#define HAS_FIELD(field) __builtin_preserve_field_info(field, 2 /* BPF_FIELD_EXISTS */)

/* A function whose address a helper takes. */
#define CALLBACK static __attribute__((noinline))

/* A function for what is seldom: code that is run at each hit stays short. */
#define SELDOM static __attribute__((noinline))

#define MAP_TYPE(number) int (*type)[number]
#define MAP_ENTRIES(number) int (*max_entries)[number]
#define MAP_KEY(t) typeof(t) *key
#define MAP_VALUE(t) typeof(t) *value
#define BPF_MAP_TYPE_HASH 1
#define BPF_MAP_TYPE_ARRAY 2
#define BPF_MAP_TYPE_PERCPU_ARRAY 6
#define BPF_MAP_TYPE_LRU_HASH 9
#define BPF_MAP_TYPE_RINGBUF 27
#define BPF_ANY 0
#define BPF_RB_NO_WAKEUP 1 /* a flag of bpf_ringbuf_submit: the reader polls */
/* A flag of bpf_ringbuf_output. Without one, the reader is woken only if it has read all that was there before. */
#define BPF_RB_FORCE_WAKEUP 2
#define BPF_NOEXIST 1 /* a flag of bpf_map_update_elem: only if there is no such entry */
#define EEXIST 17     /* asm-generic/errno-base.h; bpf_map_update_elem returns it as a negative number then */

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
/* Before Linux 6.4 some maps return an int, whose upper half is 0: what is compared with a negative number is to be an int. */
static long (*const bpf_map_update_elem)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*const bpf_map_delete_elem)(void *map, const void *key) = (void *)3;
static u64 (*const bpf_ktime_get_ns)(void) = (void *)5;
static u32 (*const bpf_get_smp_processor_id)(void) = (void *)8;
/* The tid, and in the upper half the tgid. */
static u64 (*const bpf_get_current_pid_tgid)(void) = (void *)14;
/* The real uid, and in the upper half the gid. */
static u64 (*const bpf_get_current_uid_gid)(void) = (void *)15;
static long (*const bpf_get_current_comm)(void *to, u32 size) = (void *)16;
static u64 (*const bpf_get_current_task)(void) = (void *)35;
/* Read `size` bytes at an address of the process, or of the kernel; 0 = done, negative = it cannot be read. */
static long (*const bpf_probe_read_user)(void *to, u32 size, u64 address) = (void *)112;
static long (*const bpf_probe_read_kernel)(void *to, u32 size, u64 address) = (void *)113;
/* Reads up to the NUL, at most `size` bytes with it; returns how many, negative = it cannot be read. */
static long (*const bpf_probe_read_user_str)(void *to, u32 size, u64 address) = (void *)114;
static long (*const bpf_probe_read_kernel_str)(void *to, u32 size, u64 address) = (void *)115;
/* The tid and the tgid in the namespace of the file with this device and inode; 0 = it is the thread's own. Since Linux 5.7. */
static long (*const bpf_get_ns_current_pid_tgid)(u64 device, u64 inode, void *ids, u32 size) = (void *)120;
/* Copies `size` bytes into a ring buffer, and wakes its reader; 0 = done, negative = there is no room. Since Linux 5.8. */
static long (*const bpf_ringbuf_output)(void *ring, const void *data, u64 size, u64 flags) = (void *)130;
/* A sample of a size that is constant, or 0 if there is no room; it is read once it is submitted. Since Linux 5.8. */
static void *(*const bpf_ringbuf_reserve)(void *ring, u64 size, u64 flags) = (void *)131;
static void (*const bpf_ringbuf_submit)(void *sample, u64 flags) = (void *)132;
static void (*const bpf_ringbuf_discard)(void *sample, u64 flags) = (void *)133;
/* As bpf_probe_read_user, but fetches what is not resident. For programs that may sleep; since Linux 5.10. */
static long (*const bpf_copy_from_user)(void *to, u32 size, u64 address) = (void *)148;
/*
 * Calls turn(0, context), turn(1, context) ... until one does not return 0, at most `turns` times. Returns how many it
 * made. Since Linux 5.17.
 */
static long (*const bpf_loop)(u32 turns, void *turn, void *context, u64 flags) = (void *)181;
