/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structures of the kernel that begin with the task, with what is read of them. Where it lies is not known to the compiler: the
 * loader puts the places of the running kernel in (CO-RE).
 */
#pragma once

#include "kernel.h"

struct pid_namespace;

/* An id, in one namespace. */
struct upid {
    s32 nr;
    struct pid_namespace *ns;
} OF_KERNEL;

/* A thread or a process, with an id for each namespace from the initial one (level 0) to its own. */
struct pid {
    u32 level;
    struct upid numbers[];
} OF_KERNEL;

struct ns_common {
    u32 inum; /* the inode of its file in /proc/PID/ns */
} OF_KERNEL;

struct pid_namespace {
    struct ns_common ns;
} OF_KERNEL;

enum pid_type {
    PIDTYPE_PID,
    PIDTYPE_TGID, /* of the process; since Linux 4.19 */
    PIDTYPE_MAX,
};

typedef struct {
    s32 counter;
} atomic_t;

/* What the threads of a process share. */
struct signal_struct {
    atomic_t live; /* how many have not ended */
    struct pid *pids[PIDTYPE_MAX];
} OF_KERNEL;

struct files_struct;

#define TASK_COMM_LEN 16

struct thread_info {
    u32 cpu; /* on x86-64 since Linux 5.16 */
} OF_KERNEL;

struct task_struct {
    struct thread_info thread_info;
    u32 __state;            /* since Linux 5.14 */
    u32 cpu;                /* before it was in thread_info */
    s32 prio;               /* 120 = nice 0 */
    s32 exit_state;
    s32 exit_code;          /* as wait(2) gives it */
    struct pid *thread_pid; /* null once the thread has ended */
    u8 comm[TASK_COMM_LEN]; /* the name of the thread, with a NUL */
    struct signal_struct *signal;
    struct files_struct *files;
} OF_KERNEL;

struct task_struct___before_5_14 {
    s64 state;
} OF_KERNEL;

/* Reads a field of a structure of the kernel. Returns whether it could. */
#define READ(to, field) (bpf_probe_read_kernel(&(to), sizeof(to), (u64)&(field)) == 0)
