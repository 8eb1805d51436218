package dev.probestream.query.report.comparison;

/** Student's t distribution, by the incomplete beta function (Numerical Recipes, "Student's distribution"). */
final class StudentT {
    private static final int MOST_STEPS = 300;
    private static final double TINY = 1e-300;

    /** Of Lanczos' approximation of the logarithm of the gamma function. */
    private static final double[] LANCZOS = {
        76.18009172947146,
        -86.50532032941678,
        24.01409824083091,
        -1.231739572450155,
        0.1208650973866179e-2,
        -0.5395239384953e-5
    };

    private StudentT() {}

    /** How probable a value above {@code t} is. */
    static double above(double t, double freedom) {
        double tail = incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
        return t >= 0 ? tail : 1 - tail;
    }

    /** The value above which lies {@code share} of the distribution, for shares below a half. */
    static double exceededBy(double share, double freedom) {
        double low = 0;
        double high = 1e6;
        for (int i = 0; i < 100; i++) {
            double middle = (low + high) / 2;
            if (above(middle, freedom) > share) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static double incompleteBeta(double x, double a, double b) {
        if (x <= 0 || x >= 1) {
            return x <= 0 ? 0 : 1;
        }
        double front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
        return x < (a + 1) / (a + b + 2) ? front * fraction(x, a, b) / a : 1 - front * fraction(1 - x, b, a) / b;
    }

    /** The continued fraction, by Lentz's method. */
    private static double fraction(double x, double a, double b) {
        double c = 1;
        double d = 1 / nonZero(1 - (a + b) * x / (a + 1));
        double result = d;
        for (int m = 1; m <= MOST_STEPS; m++) {
            double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
            d = 1 / nonZero(1 + even * d);
            c = nonZero(1 + even / c);
            result *= d * c;
            double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
            d = 1 / nonZero(1 + odd * d);
            c = nonZero(1 + odd / c);
            result *= d * c;
            if (Math.abs(d * c - 1) < 1e-12) {
                break;
            }
        }
        return result;
    }

    private static double nonZero(double value) {
        return Math.abs(value) < TINY ? TINY : value;
    }

    private static double logGamma(double x) {
        double base = x + 5.5;
        double sum = 1.000000000190015;
        for (int i = 0; i < LANCZOS.length; i++) {
            sum += LANCZOS[i] / (x + 1 + i);
        }
        return (x + 0.5) * Math.log(base) - base + Math.log(2.5066282746310007 * sum / x);
    }
}
