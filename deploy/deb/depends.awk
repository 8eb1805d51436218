# From the dynamic sections and version needs of ELF files (readelf, lines that begin with ". ", then "own FILE"): the
# Depends of a package, such as "libc6 (>= 2.34), libstdc++6 (>= 11), zlib1g". A library that no Debian package is known
# for is an error; libraries that are among the files themselves are none.
function later(a, b,    i, n, x, y) { # Whether version a is later than b.
  n = split(a, x, ".")
  split(b, y, ".")
  for (i = 1; i <= n; i++) {
    if (x[i] + 0 != y[i] + 0) return x[i] + 0 > y[i] + 0
  }
  return 0
}

# ". 0x01 (NEEDED) Shared library: [libc.so.6]"
/\(NEEDED\)/ {
  library = $0
  sub(/.*\[/, "", library)
  sub(/\].*/, "", library)
  needed[library] = 1
}

# ". 0x0010: Name: GLIBC_2.34  Flags: none  Version: 4", after ". 000000: Version: 1  File: libc.so.6  Cnt: 3"
/Version needs section/ { needs = 1 }
/Version definition section/ || /Version symbols section/ { needs = 0 }
needs && /Name: / {
  name = $0
  sub(/.*Name: /, "", name)
  sub(/ .*/, "", name)
  version = name
  sub(/.*_/, "", version)
  family = substr(name, 1, length(name) - length(version) - 1)
  if (version ~ /^[0-9.]+$/ && later(version, highest[family])) highest[family] = version
}

$1 == "own" { own[$2] = 1; needs = 0 }

END {
  # The release of GCC that brought a version of libstdc++ (the manual of libstdc++, "ABI Policy and Guidelines").
  split("3.4.21:5 3.4.22:6 3.4.23:7 3.4.24:7 3.4.25:8 3.4.26:9 3.4.27:9 3.4.28:9 3.4.29:11 3.4.30:12 3.4.31:13 3.4.32:13.2 3.4.33:14", pairs, " ")
  for (i in pairs) {
    split(pairs[i], pair, ":")
    gcc[pair[1]] = pair[2]
  }
  for (library in needed) {
    if (library in own) continue
    if (library ~ /^(libc\.so\.6|libm\.so\.6|libdl\.so\.2|libpthread\.so\.0|librt\.so\.1|libutil\.so\.1|libresolv\.so\.2|ld-linux.*)$/) packages["libc6"] = highest["GLIBC"]
    else if (library == "libstdc++.so.6") {
      cxx = highest["GLIBCXX"]
      if (later(cxx, "3.4.20") && !(cxx in gcc)) {
        printf "no release of GCC is known for GLIBCXX_%s", cxx
        exit 1
      }
      packages["libstdc++6"] = later(cxx, "3.4.20") ? gcc[cxx] : "5"
    } else if (library == "libgcc_s.so.1") packages["libgcc-s1"] = highest["GCC"] == "" ? "3.0" : highest["GCC"]
    else if (library == "libz.so.1") packages["zlib1g"] = highest["ZLIB"] == "" ? "" : "1:" highest["ZLIB"]
    else {
      printf "no package is known for %s", library
      exit 1
    }
  }
  count = split("libc6 libgcc-s1 libstdc++6 zlib1g", order, " ")
  for (i = 1; i <= count; i++) {
    if (!(order[i] in packages)) continue
    printf "%s%s", separator, order[i]
    if (packages[order[i]] != "") printf " (>= %s)", packages[order[i]]
    separator = ", "
  }
}
