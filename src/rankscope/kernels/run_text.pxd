"""Names as bytes of a text: their hashes, and whether two are the same."""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcmp


cdef inline uint64_t unhashed() noexcept nogil:
    """The hash of no bytes: FNV-1a, mixed at the end."""
    return 14695981039346656037ULL


cdef inline uint64_t hashed(uint64_t code, uint8_t byte) noexcept nogil:
    """The hash with one more byte."""
    return (code ^ byte) * 1099511628211ULL


cdef inline uint64_t mixed(uint64_t code) noexcept nogil:
    """The hash with its upper bits brought down, where tables look."""
    code ^= code >> 32
    code *= 11400714819323198485ULL
    return code ^ (code >> 29)


cdef inline uint64_t hash_of(const uint8_t* name, Py_ssize_t length) noexcept nogil:
    """A hash of a name."""
    cdef uint64_t code = unhashed()
    cdef Py_ssize_t i
    for i in range(length):
        code = hashed(code, name[i])
    return mixed(code)


cdef inline bint same_bytes(const uint8_t* name, const uint8_t* other, Py_ssize_t length) noexcept nogil:
    """Whether two names of this length are equal."""
    return memcmp(name, other, length) == 0
