package dev.probestream.convert.errno;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Names of negative results: errno(3) as x86-64 and aarch64 number it (include/uapi/asm-generic/errno-base.h, errno.h),
 * and the codes that libuv adds to it (uv/errno.h).
 */
public final class ErrnoNames {
    private static final String[] NAMES = {
        "",
        "EPERM",
        "ENOENT",
        "ESRCH",
        "EINTR",
        "EIO",
        "ENXIO",
        "E2BIG",
        "ENOEXEC",
        "EBADF",
        "ECHILD",
        "EAGAIN",
        "ENOMEM",
        "EACCES",
        "EFAULT",
        "ENOTBLK",
        "EBUSY",
        "EEXIST",
        "EXDEV",
        "ENODEV",
        "ENOTDIR",
        "EISDIR",
        "EINVAL",
        "ENFILE",
        "EMFILE",
        "ENOTTY",
        "ETXTBSY",
        "EFBIG",
        "ENOSPC",
        "ESPIPE",
        "EROFS",
        "EMLINK",
        "EPIPE",
        "EDOM",
        "ERANGE",
        "EDEADLK",
        "ENAMETOOLONG",
        "ENOLCK",
        "ENOSYS",
        "ENOTEMPTY",
        "ELOOP",
        "",
        "ENOMSG",
        "EIDRM",
        "ECHRNG",
        "EL2NSYNC",
        "EL3HLT",
        "EL3RST",
        "ELNRNG",
        "EUNATCH",
        "ENOCSI",
        "EL2HLT",
        "EBADE",
        "EBADR",
        "EXFULL",
        "ENOANO",
        "EBADRQC",
        "EBADSLT",
        "",
        "EBFONT",
        "ENOSTR",
        "ENODATA",
        "ETIME",
        "ENOSR",
        "ENONET",
        "ENOPKG",
        "EREMOTE",
        "ENOLINK",
        "EADV",
        "ESRMNT",
        "ECOMM",
        "EPROTO",
        "EMULTIHOP",
        "EDOTDOT",
        "EBADMSG",
        "EOVERFLOW",
        "ENOTUNIQ",
        "EBADFD",
        "EREMCHG",
        "ELIBACC",
        "ELIBBAD",
        "ELIBSCN",
        "ELIBMAX",
        "ELIBEXEC",
        "EILSEQ",
        "ERESTART",
        "ESTRPIPE",
        "EUSERS",
        "ENOTSOCK",
        "EDESTADDRREQ",
        "EMSGSIZE",
        "EPROTOTYPE",
        "ENOPROTOOPT",
        "EPROTONOSUPPORT",
        "ESOCKTNOSUPPORT",
        "EOPNOTSUPP",
        "EPFNOSUPPORT",
        "EAFNOSUPPORT",
        "EADDRINUSE",
        "EADDRNOTAVAIL",
        "ENETDOWN",
        "ENETUNREACH",
        "ENETRESET",
        "ECONNABORTED",
        "ECONNRESET",
        "ENOBUFS",
        "EISCONN",
        "ENOTCONN",
        "ESHUTDOWN",
        "ETOOMANYREFS",
        "ETIMEDOUT",
        "ECONNREFUSED",
        "EHOSTDOWN",
        "EHOSTUNREACH",
        "EALREADY",
        "EINPROGRESS",
        "ESTALE",
        "EUCLEAN",
        "ENOTNAM",
        "ENAVAIL",
        "EISNAM",
        "EREMOTEIO",
        "EDQUOT",
        "ENOMEDIUM",
        "EMEDIUMTYPE",
        "ECANCELED",
        "ENOKEY",
        "EKEYEXPIRED",
        "EKEYREVOKED",
        "EKEYREJECTED",
        "EOWNERDEAD",
        "ENOTRECOVERABLE",
        "ERFKILL",
        "EHWPOISON"
    };

    private static final byte[][] TEXTS = new byte[NAMES.length][];

    static {
        for (int errno = 1; errno < NAMES.length; errno++) {
            TEXTS[errno] = NAMES[errno].isEmpty() ? new byte[0] : bytes(NAMES[errno], -errno);
        }
    }

    private ErrnoNames() {}

    /** "ENOENT" for a negative result; "" if it is not a known error. */
    public static String name(long result) {
        return result < 0 && result > -NAMES.length ? NAMES[(int) -result] : otherName(result);
    }

    /** "ENOENT (-2)" in UTF-8 for a negative result; null if it is not a known error. */
    public static byte @Nullable [] text(long result) {
        if (result < 0 && result > -NAMES.length) {
            byte[] text = TEXTS[(int) -result];
            return text.length == 0 ? null : text;
        }
        String other = otherName(result);
        return other.isEmpty() ? null : bytes(other, result);
    }

    private static byte[] bytes(String name, long result) {
        return (name + " (" + result + ")").getBytes(StandardCharsets.UTF_8);
    }

    /** The kernel's own (include/linux/errno.h: seen at the exit of an interrupted system call), then libuv's. */
    private static String otherName(long result) {
        if (result < -4096 || result > -512) {
            return "";
        }
        return switch ((int) result) {
            case -512 -> "ERESTARTSYS";
            case -513 -> "ERESTARTNOINTR";
            case -514 -> "ERESTARTNOHAND";
            case -516 -> "ERESTART_RESTARTBLOCK";
            case -3000 -> "EAI_ADDRFAMILY";
            case -3001 -> "EAI_AGAIN";
            case -3002 -> "EAI_BADFLAGS";
            case -3003 -> "EAI_CANCELED";
            case -3004 -> "EAI_FAIL";
            case -3005 -> "EAI_FAMILY";
            case -3006 -> "EAI_MEMORY";
            case -3007 -> "EAI_NODATA";
            case -3008 -> "EAI_NONAME";
            case -3009 -> "EAI_OVERFLOW";
            case -3010 -> "EAI_SERVICE";
            case -3011 -> "EAI_SOCKTYPE";
            case -3013 -> "EAI_BADHINTS";
            case -3014 -> "EAI_PROTOCOL";
            case -4080 -> "ECHARSET";
            case -4094 -> "UNKNOWN";
            case -4095 -> "EOF";
            default -> "";
        };
    }
}
