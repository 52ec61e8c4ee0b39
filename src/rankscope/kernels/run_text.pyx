"""Lines of runs and judgments, from raw bytes to arrays: fields, exact numbers, names compared byte by byte."""

from typing import NamedTuple

import numpy as np

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcmp

from rankscope.kernels.run_text cimport hash_of, hashed, mixed, same_bytes, unhashed

cdef enum:
    _LINE_FEED = 10
    _SPACE = 32
    _PLUS = 43
    _MINUS = 45
    _POINT = 46
    _ZERO = 48
    _NINE = 57
    _LARGE_E = 69
    _SMALL_E = 101

cdef enum: _MOST_TENS = 22
# All exact doubles.
cdef double[_MOST_TENS + 1] _TENS = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
]
cdef const int64_t _EXACT_BELOW = 1 << 53
cdef const int64_t _MORE_DIGITS_BELOW = 10**17
cdef enum: _LONGEST_EXPONENT = 4
# All values within this share of a number round to the same single unless a rounding boundary lies between.
cdef const double _LOWER = 1.0 - 2.0**-50, _UPPER = 1.0 + 2.0**-50
cdef const double _SMALLEST = 1e-30, _GREATEST = 1e30  # far inside the range of normal singles

# How sure a parsed number is: correctly rounded, within 2⁻⁵⁰ of it, or to be read by Python.
cdef enum Surety:
    EXACT
    NEAR
    UNSURE

# Sorting starts with insertion in stretches of this length.
cdef enum: _SHORT = 8


class Names(NamedTuple):
    """The document name of each row: where it begins in the text, its length and its hash."""

    text: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray
    hashes: np.ndarray


class Layout(NamedTuple):
    """The fields of a line, counted from 0; field 0 is the topic and field 2 the document. −1 is an absent field."""

    width: int
    number: int
    single: bool  # whether the number is used in single precision
    second: int  # another number, in double precision
    tag: int


class Rows(NamedTuple):
    """What `scan` fills in for each row."""

    topic_of: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray
    hashes: np.ndarray
    numbers: np.ndarray
    seconds: np.ndarray


class Scanned(NamedTuple):
    """Where `scan` ended. Numbers of rows, of topics and of unsure numbers; then positions, −1 where there is none."""

    rows: int
    topics: int
    unsure: int
    wrong_line: int
    wrong_fields: int
    tag_start: int
    tag_end: int
    other_tag: int  # the first tag that differs from the first


class Entries(NamedTuple):
    """What rows are ranked by: score descending, rank ascending (if there are ranks), then name descending."""

    text: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray
    scores: np.ndarray
    ranks: np.ndarray


cdef struct Word:
    int64_t start
    int64_t end


cdef inline bint _is_space(uint8_t byte) noexcept nogil:
    """White space as in C's `isspace`: space, tab, line feed, vertical tab, form feed, carriage return."""
    return byte <= _SPACE and (byte == _SPACE or 9 <= byte <= 13)


cdef inline bint _is_same(const uint8_t* text, Word word, Word other) noexcept nogil:
    """Whether two stretches of the text are equal."""
    cdef Py_ssize_t length = word.end - word.start
    return length == other.end - other.start and same_bytes(text + word.start, text + other.start, length)


cdef inline bint _exponent(const uint8_t* text, Py_ssize_t start, Py_ssize_t end, Py_ssize_t* exponent) noexcept nogil:
    """The exponent in text[start:end], behind its e, and whether it is one of at most four digits."""
    cdef Py_ssize_t i = start, value = 0
    cdef bint negative = i < end and text[i] == _MINUS
    if i < end and (negative or text[i] == _PLUS):
        i += 1
    if i == end or end - i > _LONGEST_EXPONENT:
        return False
    while i < end:
        if not _ZERO <= text[i] <= _NINE:
            return False
        value = value * 10 + (text[i] - _ZERO)
        i += 1
    exponent[0] = -value if negative else value
    return True


cdef inline double _number(const uint8_t* text, Word word, Surety* sure) noexcept nogil:
    """The number in a word and how sure it is: EXACT, NEAR (within 2⁻⁵⁰ of it), or UNSURE, for Python to read.

    An integer up to 2⁵³ times or over a power of ten up to 10²² is one correctly rounded operation on exact doubles
    (Clinger 1990, "How to read floating point numbers accurately").
    """
    cdef Py_ssize_t i = word.start, end = word.end, power = 0, exponent = 0
    cdef bint negative = text[i] == _MINUS
    cdef bint any_digit = False, dropped = False, after_point = False
    cdef int64_t digits = 0
    cdef uint8_t byte
    cdef double value
    sure[0] = UNSURE
    if negative or text[i] == _PLUS:
        i += 1
    while i < end:
        byte = text[i]
        if _ZERO <= byte <= _NINE:
            any_digit = True
            if digits < _MORE_DIGITS_BELOW:
                digits = digits * 10 + (byte - _ZERO)
                power -= after_point
            else:
                dropped = dropped or byte != _ZERO
                power += not after_point
        elif byte == _POINT and not after_point:
            after_point = True
        else:
            break
        i += 1
    if not any_digit:
        return 0.0
    if i < end:
        if (text[i] != _SMALL_E and text[i] != _LARGE_E) or not _exponent(text, i + 1, end, &exponent):
            return 0.0
        power += exponent
    value = <double>digits
    if digits == 0:
        sure[0] = EXACT
    elif power < -2 * _MOST_TENS or power > 2 * _MOST_TENS:
        return 0.0
    else:
        sure[0] = EXACT if digits <= _EXACT_BELOW and not dropped and -_MOST_TENS <= power <= _MOST_TENS else NEAR
        if power < -_MOST_TENS:
            value, power = value / _TENS[_MOST_TENS], power + _MOST_TENS
        elif power > _MOST_TENS:
            value, power = value * _TENS[_MOST_TENS], power - _MOST_TENS
        value = value / _TENS[-power] if power < 0 else value * _TENS[power]
    return -value if negative else value


cdef inline bint _rounds_alike(double value) noexcept nogil:
    """Whether every number within 2⁻⁵⁰ of `value` is the same in single precision."""
    cdef double size = fabs(value)
    return _SMALLEST < size < _GREATEST and <float>(size * _LOWER) == <float>(size * _UPPER)


cdef struct Unsure:
    int64_t row
    int64_t start
    int64_t end
    int64_t field


cdef inline double _number_in(
    const uint8_t* text,
    Py_ssize_t row,
    const Word* words,
    Py_ssize_t field,
    bint single,
    Unsure* unsure,
    Py_ssize_t* count,
) noexcept nogil:
    """The number in a field, which is added to the unsure ones unless it is surely right."""
    cdef Surety sure
    cdef Word word = words[field]
    cdef double value = _number(text, word, &sure)
    if sure == UNSURE or (sure == NEAR and not (single and _rounds_alike(value))):
        unsure[count[0]] = Unsure(row, word.start, word.end, field)
        count[0] += 1
    return value


cdef inline Py_ssize_t _fields(
    const uint8_t* text,
    Py_ssize_t n,
    Py_ssize_t position,
    Word* words,
    Py_ssize_t width,
    Py_ssize_t* count,
    uint64_t* code,
) noexcept nogil:
    """Where the next line begins; finds at most `width` words of this line, their number, and the hash of the third."""
    cdef uint64_t third = unhashed()
    cdef Py_ssize_t start, fields = 0
    while True:
        while position < n and _is_space(text[position]) and text[position] != _LINE_FEED:
            position += 1
        if position >= n or text[position] == _LINE_FEED:
            break
        start = position
        if fields == 2:
            while position < n and not _is_space(text[position]):
                third = hashed(third, text[position])
                position += 1
        else:
            while position < n and not _is_space(text[position]):
                position += 1
        if fields < width:
            words[fields] = Word(start, position)
        fields += 1
    count[0] = fields
    code[0] = mixed(third)
    return position + 1


cdef inline int32_t _topic(
    const uint8_t* text, Word word, int32_t* slots, uint64_t mask, Word* topics, int32_t known
) noexcept nogil:
    """The code of a topic's name; a new name is entered with the code `known`."""
    cdef uint64_t place = hash_of(text + word.start, word.end - word.start) & mask
    while slots[place] >= 0:
        if _is_same(text, word, topics[slots[place]]):
            return slots[place]
        place = (place + 1) & mask
    slots[place] = known
    topics[known] = word
    return known


def scan(
    const uint8_t[::1] text, layout, rows, int64_t[:, ::1] unsure, int32_t[::1] slots, int64_t[:, ::1] topics
):
    """Read lines of the layout's fields up to the first line with another number of fields.

    Fills in `rows`; where each topic's name begins and ends (`topics`); and the numbers that Python must read, as row,
    start, end and field (`unsure`). All other numbers are surely right, or surely right when rounded to `single`
    precision. The length of `slots` is a power of two and at least twice the number of lines; all are −1.
    """
    cdef Py_ssize_t width = layout.width, number = layout.number, second = layout.second, tag = layout.tag
    cdef bint single = layout.single
    cdef int32_t[::1] topic_of = rows.topic_of
    cdef int64_t[::1] starts = rows.starts, lengths = rows.lengths, hashes = rows.hashes
    cdef double[::1] numbers = rows.numbers, seconds = rows.seconds
    cdef int64_t[:, ::1] found = np.zeros((width, 2), np.int64)
    cdef Word* words = <Word*>&found[0, 0]
    cdef Word* topic_names = <Word*>&topics[0, 0]
    cdef Unsure* to_read = <Unsure*>&unsure[0, 0]
    cdef const uint8_t* bytes_of = &text[0]
    cdef int32_t* table = &slots[0]
    cdef uint64_t mask = slots.shape[0] - 1, code
    cdef Py_ssize_t n = text.shape[0], position = 0, line, fields, row = 0, unsure_count = 0
    cdef Py_ssize_t wrong_line = -1, wrong_fields = -1, other_tag = -1
    cdef Word first_tag = Word(-1, -1)
    cdef int32_t topic = -1, known = 0
    with nogil:
        while position < n:
            line = position
            position = _fields(bytes_of, n, position, words, width, &fields, &code)
            if fields == 0:
                continue
            if fields != width:
                wrong_line, wrong_fields = line, fields
                break
            if topic < 0 or not _is_same(bytes_of, words[0], topic_names[topic]):
                topic = _topic(bytes_of, words[0], table, mask, topic_names, known)
                known = max(known, topic + 1)
            topic_of[row] = topic
            starts[row] = words[2].start
            lengths[row] = words[2].end - words[2].start
            hashes[row] = <int64_t>code
            numbers[row] = _number_in(bytes_of, row, words, number, single, to_read, &unsure_count)
            if second >= 0:
                seconds[row] = _number_in(bytes_of, row, words, second, False, to_read, &unsure_count)
            if tag >= 0:
                if first_tag.start < 0:
                    first_tag = words[tag]
                elif other_tag < 0 and not _is_same(bytes_of, words[tag], first_tag):
                    other_tag = words[tag].start
            row += 1
    return Scanned(row, known, unsure_count, wrong_line, wrong_fields, first_tag.start, first_tag.end, other_tag)


def group(
    names, const int32_t[::1] topic_of, int64_t[::1] ends, int32_t[::1] table, int64_t[::1] order, int64_t[::1] first
):
    """Rows by topic into `order`, in the order of lines, and the first row of each row's document into `first`.

    Rows of topic t go from `ends[t]` to `ends[t + 1]`. `table` is a hash table; its length is a power of two and at
    least twice the largest topic.
    """
    cdef const uint8_t[::1] text = names.text
    cdef const int64_t[::1] starts = names.starts, lengths = names.lengths, hashes = names.hashes
    cdef const uint8_t* bytes_of = &text[0]
    cdef Py_ssize_t rows = topic_of.shape[0], topics = ends.shape[0] - 1
    cdef Py_ssize_t row, topic, size, i
    cdef int32_t known
    cdef int64_t place
    with nogil:
        for row in range(rows):
            topic = topic_of[row]
            order[ends[topic]] = row
            ends[topic] += 1
        for topic in range(topics, 0, -1):  # each has moved to where the next began
            ends[topic] = ends[topic - 1]
        ends[0] = 0
        for topic in range(topics):
            size = 4
            while size < 2 * (ends[topic + 1] - ends[topic]):
                size *= 2
            for place in range(size):
                table[place] = -1
            for i in range(ends[topic], ends[topic + 1]):
                row = order[i]
                place = hashes[row] & (size - 1)
                first[row] = row
                while table[place] >= 0:
                    known = table[place]
                    if (
                        hashes[known] == hashes[row]
                        and lengths[known] == lengths[row]
                        and same_bytes(bytes_of + starts[known], bytes_of + starts[row], lengths[row])
                    ):
                        first[row] = known
                        break
                    place = (place + 1) & (size - 1)
                if first[row] == row:
                    table[place] = <int32_t>row


cdef struct Keys:
    const uint8_t* text
    const int64_t* starts
    const int64_t* lengths
    const float* scores
    const double* ranks
    bint ranked  # whether there are ranks


cdef inline bint _is_greater(
    const uint8_t* name, int64_t length, const uint8_t* other, int64_t other_length
) noexcept nogil:
    """Whether the first name is greater than the second by bytes, as in `strcmp`."""
    cdef int sign = memcmp(name, other, min(length, other_length))
    return sign > 0 or (sign == 0 and length > other_length)


cdef inline bint _comes_before(const Keys* keys, int64_t row, int64_t other) noexcept nogil:
    """Whether a row ranks strictly above another."""
    if keys.scores[row] != keys.scores[other]:
        return keys.scores[row] > keys.scores[other]
    if keys.ranked and keys.ranks[row] != keys.ranks[other]:
        return keys.ranks[row] < keys.ranks[other]
    return _is_greater(
        keys.text + keys.starts[row], keys.lengths[row], keys.text + keys.starts[other], keys.lengths[other]
    )


def arrange(entries, int64_t[::1] order, const int64_t[::1] ends, int64_t[::1] spare):
    """Sort the rows of every topic in place, best first; returns the number of topics that were not sorted before.

    The sort is stable. `spare` is as long as the largest topic.
    """
    cdef const uint8_t[::1] text = entries.text
    cdef const int64_t[::1] starts = entries.starts, lengths = entries.lengths
    cdef const float[::1] scores = entries.scores
    cdef const double[::1] ranks = entries.ranks
    cdef Keys keys = Keys(&text[0], &starts[0], &lengths[0], &scores[0], &ranks[0], ranks.shape[0] > 0)
    cdef Py_ssize_t unsorted = 0, topic
    with nogil:
        for topic in range(ends.shape[0] - 1):
            unsorted += _arrange_topic(&keys, &order[0] + ends[topic], ends[topic + 1] - ends[topic], &spare[0])
    return unsorted


cdef inline void _merge(
    const Keys* keys, int64_t* order, Py_ssize_t middle, Py_ssize_t size, int64_t* spare
) noexcept nogil:
    """Merge the sorted rows before `middle` with those from there on."""
    cdef Py_ssize_t i, j, k
    for i in range(middle):
        spare[i] = order[i]
    i, j, k = 0, middle, 0
    while i < middle and j < size:
        if _comes_before(keys, order[j], spare[i]):
            order[k] = order[j]
            j += 1
        else:
            order[k] = spare[i]
            i += 1
        k += 1
    while i < middle:
        order[k] = spare[i]
        i += 1
        k += 1


cdef bint _arrange_topic(const Keys* keys, int64_t* order, Py_ssize_t size, int64_t* spare) noexcept nogil:
    """Sort the rows of one topic; returns whether they were not sorted before."""
    cdef Py_ssize_t left, width, i, j
    cdef int64_t row
    for i in range(1, size):
        if _comes_before(keys, order[i], order[i - 1]):
            break
    else:
        return False
    # Short stretches are sorted by insertion.
    left = 0
    while left < size:
        for i in range(left + 1, min(left + _SHORT, size)):
            row = order[i]
            j = i - 1
            while j >= left and _comes_before(keys, row, order[j]):
                order[j + 1] = order[j]
                j -= 1
            order[j + 1] = row
        left += _SHORT
    # Then neighbours are merged; those in order already cost one comparison.
    width = _SHORT
    while width < size:
        left = 0
        while left < size - width:
            if _comes_before(keys, order[left + width], order[left + width - 1]):
                _merge(keys, order + left, width, min(2 * width, size - left), spare)
            left += 2 * width
        width *= 2
    return True
