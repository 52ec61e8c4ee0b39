"""Arithmetic that several coefficients share."""

from libc.math cimport sqrt


cdef inline double geometric_mean(double a, double b) noexcept nogil:
    """√(ab), exact where a = b, without overflow or underflow of the product."""
    cdef double product = a * b
    return sqrt(product) if 1e-290 < product < 1e290 else sqrt(a) * sqrt(b)
