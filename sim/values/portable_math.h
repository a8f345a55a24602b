// Elementary functions from the four operations and the square root alone, so that every machine
// and C library gives the same bits. Double inside; after rounding to float32 the error is about
// half a unit of the last place, but for the largest arguments of sine and cosine.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace spillway::portable {

inline constexpr double kLn2High = 6.93147180369123816490e-01;  // the low 21 bits are zero
inline constexpr double kLn2Low = 1.90821492927058770002e-10;
inline constexpr double kPi = 3.14159265358979323846;
/// Adding and subtracting it rounds to the nearest integer, ties to even.
inline constexpr double kRounder = 0x1.8p52;

/// e to the `x`; exact at the ends of what float32 holds. No branch, so that loops vectorise.
inline double Exp(double x) {
  x = x < -708.0 ? -708.0 : x;
  x = x > 709.0 ? 709.0 : x;
  const double shifted = x * 1.44269504088896340736 + kRounder;
  const double n = shifted - kRounder;
  const double r = (x - n * kLn2High) - n * kLn2Low;  // at most half of ln 2
  double sum = 1.0 / 6227020800.0;
  sum = sum * r + 1.0 / 479001600.0;
  sum = sum * r + 1.0 / 39916800.0;
  sum = sum * r + 1.0 / 3628800.0;
  sum = sum * r + 1.0 / 362880.0;
  sum = sum * r + 1.0 / 40320.0;
  sum = sum * r + 1.0 / 5040.0;
  sum = sum * r + 1.0 / 720.0;
  sum = sum * r + 1.0 / 120.0;
  sum = sum * r + 1.0 / 24.0;
  sum = sum * r + 1.0 / 6.0;
  sum = sum * r + 0.5;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  const std::uint64_t exponent =
      std::bit_cast<std::uint64_t>(shifted) - std::bit_cast<std::uint64_t>(kRounder) + 1023u;
  return sum * std::bit_cast<double>(exponent << 52);
}

/// Natural logarithm of a float32's value or any normal double; -infinity at 0, NaN below.
inline double Log(double x) {
  if (!(x > 0.0))
    return x == 0.0 ? -std::numeric_limits<double>::infinity()
                    : std::numeric_limits<double>::quiet_NaN();
  if (x > std::numeric_limits<double>::max()) return x;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  double exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
  double mantissa = std::bit_cast<double>((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
  if (mantissa > 1.41421356237309504880) {
    mantissa *= 0.5;
    exponent += 1.0;
  }
  const double s = (mantissa - 1.0) / (mantissa + 1.0);
  const double square = s * s;
  double sum = 1.0 / 21.0;
  for (int k = 19; k >= 3; k -= 2) sum = sum * square + 1.0 / k;
  return exponent * kLn2High + (2.0 * s + (2.0 * s * square * sum + exponent * kLn2Low));
}

struct SineCosine {
  double sine = 0.0;
  double cosine = 0.0;
};

/// Sine and cosine; arguments beyond a million are first reduced by double's 2 pi (the hardware's
/// valid range ends at pi).
inline SineCosine SinCos(double x) {
  if (!(std::fabs(x) < 1e6)) x = std::fmod(x, 2.0 * kPi);
  const double n = (x * (2.0 / kPi) + kRounder) - kRounder;
  // pi / 2 in three parts whose first two have room for the product with n.
  double r = x - n * 1.57079632673412561417e+00;
  r -= n * 6.07710050630396597660e-11;
  r -= n * 2.02226624879595063154e-21;
  const double square = r * r;
  double sine = -1.0 / 1307674368000.0;
  sine = sine * square + 1.0 / 6227020800.0;
  sine = sine * square - 1.0 / 39916800.0;
  sine = sine * square + 1.0 / 362880.0;
  sine = sine * square - 1.0 / 5040.0;
  sine = sine * square + 1.0 / 120.0;
  sine = sine * square - 1.0 / 6.0;
  sine = r + r * square * sine;
  double cosine = 1.0 / 20922789888000.0;
  cosine = cosine * square - 1.0 / 87178291200.0;
  cosine = cosine * square + 1.0 / 479001600.0;
  cosine = cosine * square - 1.0 / 3628800.0;
  cosine = cosine * square + 1.0 / 40320.0;
  cosine = cosine * square - 1.0 / 720.0;
  cosine = cosine * square + 1.0 / 24.0;
  cosine = cosine * square - 0.5;
  cosine = 1.0 + square * cosine;
  if (!(n == n)) return {n, n};
  switch (static_cast<std::int64_t>(n) & 3) {
    case 0: return {sine, cosine};
    case 1: return {cosine, -sine};
    case 2: return {-sine, -cosine};
    default: return {-cosine, sine};
  }
}

inline double Tanh(double x) {
  if (std::fabs(x) < 0.02) {
    const double square = x * x;
    return x + x * square * (-1.0 / 3.0 + square * (2.0 / 15.0 - square * (17.0 / 315.0)));
  }
  if (x > 20.0) return 1.0;
  if (x < -20.0) return -1.0;
  const double e = Exp(2.0 * x);
  return (e - 1.0) / (e + 1.0);
}

inline double Sigmoid(double x) { return 1.0 / (1.0 + Exp(-x)); }

/// log(1 + e^x).
inline double Softplus(double x) {
  if (x > 40.0) return x;
  const double e = Exp(x);
  return x < -12.0 ? e - e * e * 0.5 + e * e * e / 3.0 : Log(1.0 + e);
}

/// Complementary error function of x >= 2, by its continued fraction.
inline double ErfcTail(double x) {
  double fraction = x;
  for (int k = 60; k >= 1; --k) fraction = x + (0.5 * k) / fraction;
  return Exp(-x * x) / (fraction * 1.77245385090551602730);
}

inline double Erf(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude > 6.0) return x > 0.0 ? 1.0 : -1.0;
  if (magnitude >= 2.0) return x > 0.0 ? 1.0 - ErfcTail(magnitude) : ErfcTail(magnitude) - 1.0;
  // A series of positive terms: nothing cancels.
  const double step = 2.0 * x * x;
  double term = x;
  double sum = x;
  for (int n = 1; n < 40; ++n) {
    term = term * step / (2.0 * n + 1.0);
    sum += term;
  }
  return sum * Exp(-x * x) * 1.12837916709551257390;
}

/// The standard normal distribution function; relative accuracy in the left tail too.
inline double NormalCdf(double x) {
  const double scaled = x * 0.70710678118654752440;
  return scaled <= -2.0 ? 0.5 * ErfcTail(-scaled) : 0.5 * (1.0 + Erf(scaled));
}

inline double NormalDensity(double x) { return Exp(-0.5 * x * x) * 0.39894228040143267794; }

inline double Atan(double x) {
  const double magnitude = std::fabs(x);
  if (!(magnitude == magnitude)) return x;
  const double inverted = magnitude > 1.0 ? 1.0 / magnitude : magnitude;
  // Two half-angle steps bring the argument below 0.2.
  const double half = inverted / (1.0 + std::sqrt(1.0 + inverted * inverted));
  const double quarter = half / (1.0 + std::sqrt(1.0 + half * half));
  const double square = quarter * quarter;
  double sum = 1.0 / 25.0;
  for (int k = 23; k >= 1; k -= 2) sum = 1.0 / k - sum * square;
  const double angle = 4.0 * quarter * sum;
  const double result = magnitude > 1.0 ? kPi / 2.0 - angle : angle;
  return x < 0.0 ? -result : result;
}

/// `x` to the `y`, with C's rules for zeros, infinities and NaNs.
inline double Pow(double x, double y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (x != x || y != y) return x + y;
  const bool whole = std::floor(y) == y;
  const bool odd = whole && std::fmod(std::fabs(y), 2.0) == 1.0;
  const double magnitude = std::fabs(x);
  double result = 0.0;
  if (std::fabs(y) > std::numeric_limits<double>::max()) {
    if (magnitude == 1.0) return 1.0;
    return (magnitude > 1.0) == (y > 0.0) ? std::numeric_limits<double>::infinity() : 0.0;
  }
  if (magnitude == 0.0 || magnitude > std::numeric_limits<double>::max()) {
    const bool grows = (magnitude == 0.0) == (y < 0.0);
    result = grows ? std::numeric_limits<double>::infinity() : 0.0;
  } else if (x < 0.0 && !whole) {
    return std::numeric_limits<double>::quiet_NaN();
  } else if (whole && std::fabs(y) <= 16.0) {
    // Small powers by products: exact where the result is.
    result = 1.0;
    for (int i = 0; i < static_cast<int>(std::fabs(y)); ++i) result *= magnitude;
    if (y < 0.0) result = 1.0 / result;
  } else {
    const double exponent = y * Log(magnitude);
    result = exponent < -700.0 ? 0.0 : Exp(exponent);
  }
  return odd && std::signbit(x) ? -result : result;
}

}  // namespace spillway::portable
