#!/bin/sh
# Makes the objects of the sources in this folder, on Debian 12 with clang-16 (1:16.0.6-15~deb12u1), llvm-16 and libbpf-dev
# (1:1.1.2-0+deb12u1). Debug information is stripped off; .BTF and .BTF.ext stay. The current folder is in no object, as
# the names of files are relative.
set -e
cd "$(dirname "$0")"
for source in *.bpf.c; do
    object=${source%.c}.o
    clang-16 -target bpf -mcpu=v3 -g -O2 -Wall -D__TARGET_ARCH_x86 -I/usr/include/x86_64-linux-gnu \
        -fdebug-compilation-dir=. -c "$source" -o "$object"
    llvm-strip-16 -g "$object"
done
# Of another byte order, for the refusal.
clang-16 -target bpfeb -g -O2 -c unknown.bpf.c -I/usr/include/x86_64-linux-gnu -fdebug-compilation-dir=. -o bigendian.bpf.o
llvm-strip-16 -g bigendian.bpf.o
