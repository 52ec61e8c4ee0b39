"""Lines of runs and judgments, from raw bytes to arrays: fields, exact numbers, names compared byte by byte.

Indices of bytes in the busiest loops are unsigned: numba would check signed ones for negative values.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.kernels.compiled import Floats, Integers, compiled, inlined

Bytes = npt.NDArray[np.uint8]
Codes = npt.NDArray[np.int32]

# FNV-1a in signed arithmetic, which wraps as unsigned does and mixes with no other type.
_SEED, _PRIME, _MIXER = -3750763034362895579, 1099511628211, -7046029254386353131

_LINE_FEED, _SPACE = ord("\n"), ord(" ")
_PLUS, _MINUS, _POINT, _SMALL_E, _LARGE_E = ord("+"), ord("-"), ord("."), ord("e"), ord("E")
_ZERO, _NINE = ord("0"), ord("9")

_TENS = 10.0 ** np.arange(23)  # all exact doubles
_MOST_TENS = 22
_EXACT_BELOW = 2**53
_MORE_DIGITS_BELOW = 10**17
_LONGEST_EXPONENT = 4
# All values within this share of a number round to the same single unless a rounding boundary lies between.
_LOWER, _UPPER = 1.0 - 2.0**-50, 1.0 + 2.0**-50
_SMALLEST, _GREATEST = 1e-30, 1e30  # far inside the range of normal singles

# How sure a parsed number is: correctly rounded, within 2⁻⁵⁰ of it, or to be read by Python.
EXACT, NEAR, UNSURE = 0, 1, 2

# Sorting starts with insertion in stretches of this length.
_SHORT = 8


class Names(NamedTuple):
    """The document name of each row: where it begins in the text, its length and its hash."""

    text: Bytes
    starts: Integers
    lengths: Integers
    hashes: Integers


class Layout(NamedTuple):
    """The fields of a line, counted from 0; field 0 is the topic and field 2 the document. −1 is an absent field."""

    width: int
    number: int
    single: bool  # whether the number is used in single precision
    second: int  # another number, in double precision
    tag: int


class Rows(NamedTuple):
    """What `scan` fills in for each row."""

    topic_of: Codes
    starts: Integers
    lengths: Integers
    hashes: Integers
    numbers: Floats
    seconds: Floats


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

    text: Bytes
    starts: Integers
    lengths: Integers
    scores: npt.NDArray[np.float32]
    ranks: Floats


@compiled
def is_space(byte: int) -> bool:
    """White space as in C's `isspace`: space, tab, line feed, vertical tab, form feed, carriage return."""
    return byte == _SPACE or 9 <= byte <= 13


@compiled
def _mixed(code: Any) -> Any:
    code ^= code >> 32
    code *= _MIXER
    return code ^ (code >> 29)


@compiled
def hash_of(text: Bytes, start: int, end: int) -> Any:
    """A hash of text[start:end]."""
    code: Any = _SEED
    for i in range(start, end):
        code = (code ^ np.int64(text[i])) * _PRIME
    return _mixed(code)


@compiled
def same_bytes(text: Bytes, start: Any, other: Bytes, other_start: Any, length: Any) -> bool:
    """Whether two stretches of this length are equal."""
    for i in range(length):  # noqa: SIM110  numba compiles no generator
        if text[np.uint64(start + i)] != other[np.uint64(other_start + i)]:
            return False
    return True


@inlined
def _exponent(text: Bytes, start: int, end: int) -> tuple[Any, bool]:
    """The exponent in text[start:end], behind its e, and whether it is one of at most four digits."""
    i = start
    negative = i < end and text[i] == _MINUS
    if i < end and (negative or text[i] == _PLUS):
        i += 1
    valid = i != end and end - i <= _LONGEST_EXPONENT
    exponent: Any = 0
    while valid and i < end:
        byte = np.int64(text[i])
        valid = bool(_ZERO <= byte <= _NINE)
        exponent = exponent * 10 + (byte - _ZERO)
        i += 1
    return (-exponent if negative else exponent), valid


@compiled
def number(text: Bytes, start: int, end: int) -> tuple[float, int]:
    """The number in text[start:end] and how sure it is: EXACT, NEAR (within 2⁻⁵⁰ of it), or UNSURE, for Python to read.

    An integer up to 2⁵³ times or over a power of ten up to 10²² is one correctly rounded operation on exact doubles
    (Clinger 1990, "How to read floating point numbers accurately").
    """
    i = start
    negative = text[i] == _MINUS
    if negative or text[i] == _PLUS:
        i += 1
    digits: Any = 0
    power, any_digit, dropped, after_point = 0, False, False, False
    while i < end:
        byte = np.int64(text[np.uint64(i)])
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
        return 0.0, UNSURE
    if i < end:
        if text[i] != _SMALL_E and text[i] != _LARGE_E:
            return 0.0, UNSURE
        exponent, valid = _exponent(text, i + 1, end)
        if not valid:
            return 0.0, UNSURE
        power += exponent
    value = float(digits)
    sure = EXACT if digits <= _EXACT_BELOW and not dropped and -_MOST_TENS <= power <= _MOST_TENS else NEAR
    if digits != 0:
        if power < -2 * _MOST_TENS or power > 2 * _MOST_TENS:
            return 0.0, UNSURE
        if power < -_MOST_TENS:
            value, power = value / _TENS[_MOST_TENS], power + _MOST_TENS
        elif power > _MOST_TENS:
            value, power = value * _TENS[_MOST_TENS], power - _MOST_TENS
        value = value / _TENS[-power] if power < 0 else value * _TENS[power]
    else:
        sure = EXACT
    return (-value if negative else value), sure


@compiled
def _rounds_alike(value: float) -> Any:
    """Whether every number within 2⁻⁵⁰ of `value` is the same in single precision."""
    size = abs(value)
    if not _SMALLEST < size < _GREATEST:
        return False
    return np.float32(size * _LOWER) == np.float32(size * _UPPER)


@compiled
def _is_same(text: Bytes, start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches of the text are equal."""
    return end - start == other_end - other_start and same_bytes(text, start, text, other_start, end - start)


@compiled
def _fields(text: Bytes, position: int, begins: Integers, ends: Integers) -> tuple[int, int, Any]:
    """Where the next line begins, the number of this line's fields, and the hash of the third."""
    n, fields = len(text), 0
    code: Any = _SEED
    while True:
        while position < n:
            byte = text[np.uint64(position)]
            if byte > _SPACE or byte == _LINE_FEED or not is_space(byte):
                break
            position += 1
        if position >= n or text[np.uint64(position)] == _LINE_FEED:
            break
        start = position
        if fields == 2:
            while position < n:
                byte = text[np.uint64(position)]
                if byte <= _SPACE and is_space(byte):
                    break
                code = (code ^ np.int64(byte)) * _PRIME
                position += 1
        else:
            while position < n:
                byte = text[np.uint64(position)]
                if byte <= _SPACE and is_space(byte):
                    break
                position += 1
        if fields < len(begins):
            begins[fields] = start
            ends[fields] = position
        fields += 1
    return position + 1, fields, _mixed(code)


@compiled
def _number_in(
    text: Bytes, row: int, field: int, begins: Integers, ends: Integers, single: bool, unsure: Integers, count: int
) -> tuple[float, int]:
    """The number in a field, and the number of unsure ones, to which it is added unless it is surely right."""
    value, sure = number(text, begins[field], ends[field])
    if sure == UNSURE or (sure == NEAR and not (single and _rounds_alike(value))):
        unsure[count, 0] = row
        unsure[count, 1] = begins[field]
        unsure[count, 2] = ends[field]
        unsure[count, 3] = field
        count += 1
    return value, count


@compiled
def _topic(text: Bytes, start: int, end: int, slots: Codes, topics: Integers, known: int) -> Any:
    """The code of a topic's name; a new name is entered with the code `known`."""
    mask = len(slots) - 1
    place = hash_of(text, start, end) & mask
    while slots[place] >= 0:
        topic = slots[place]
        if _is_same(text, start, end, topics[topic, 0], topics[topic, 1]):
            return np.int64(topic)
        place = (place + 1) & mask
    slots[place] = known
    topics[known, 0] = start
    topics[known, 1] = end
    return known


@compiled
def scan(text: Bytes, layout: Layout, rows: Rows, unsure: Integers, slots: Codes, topics: Integers) -> Scanned:
    """Read lines of the layout's fields up to the first line with another number of fields.

    Fills in `rows`; where each topic's name begins and ends (`topics`); and the numbers that Python must read, as row,
    start, end and field (`unsure`). All other numbers are surely right, or surely right when rounded to `single`
    precision. The length of `slots` is a power of two and at least twice the number of lines; all are −1.
    """
    begins, ends = np.zeros(layout.width, np.int64), np.zeros(layout.width, np.int64)
    row, known, unsure_count, position, topic = 0, 0, 0, 0, np.int64(-1)
    wrong_line, wrong_fields, tag_start, tag_end, other_tag = -1, -1, -1, -1, -1
    while position < len(text):
        line = position
        position, fields, code = _fields(text, position, begins, ends)
        if fields == 0:
            continue
        if fields != layout.width:
            wrong_line, wrong_fields = line, fields
            break
        if topic < 0 or not _is_same(text, begins[0], ends[0], topics[topic, 0], topics[topic, 1]):
            topic = _topic(text, begins[0], ends[0], slots, topics, known)
            known = max(known, topic + 1)
        rows.topic_of[row] = topic
        rows.starts[row] = begins[2]
        rows.lengths[row] = ends[2] - begins[2]
        rows.hashes[row] = code
        rows.numbers[row], unsure_count = _number_in(
            text, row, layout.number, begins, ends, layout.single, unsure, unsure_count
        )
        if layout.second >= 0:
            rows.seconds[row], unsure_count = _number_in(
                text, row, layout.second, begins, ends, False, unsure, unsure_count
            )
        if layout.tag >= 0:
            start, end = begins[layout.tag], ends[layout.tag]
            if tag_start < 0:
                tag_start, tag_end = start, end
            elif other_tag < 0 and not _is_same(text, start, end, tag_start, tag_end):
                other_tag = start
        row += 1
    return Scanned(row, known, unsure_count, wrong_line, wrong_fields, tag_start, tag_end, other_tag)


@compiled
def group(names: Names, topic_of: Codes, ends: Integers, table: Codes, order: Integers, first: Integers) -> None:
    """Rows by topic into `order`, in the order of lines, and the first row of each row's document into `first`.

    Rows of topic t go from `ends[t]` to `ends[t + 1]`. `table` is a hash table; its length is a power of two and at
    least twice the largest topic.
    """
    starts, lengths, hashes = names.starts, names.lengths, names.hashes
    for row in range(len(topic_of)):
        topic = topic_of[row]
        order[ends[topic]] = row
        ends[topic] += 1
    for topic in range(len(ends) - 1, 0, -1):  # each has moved to where the next began
        ends[topic] = ends[topic - 1]
    ends[0] = 0
    for topic in range(len(ends) - 1):
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
                    and same_bytes(names.text, starts[known], names.text, starts[row], lengths[row])
                ):
                    first[row] = known
                    break
                place = (place + 1) & (size - 1)
            if first[row] == row:
                table[place] = row


@compiled
def _is_greater(text: Bytes, start: int, length: int, other_start: int, other_length: int) -> Any:
    """Whether the first name is greater than the second by bytes, as in `strcmp`."""
    for i in range(min(length, other_length)):
        byte, other = text[start + i], text[other_start + i]
        if byte != other:
            return byte > other
    return length > other_length


@compiled
def _comes_before(
    text: Bytes,
    starts: Integers,
    lengths: Integers,
    scores: npt.NDArray[np.float32],
    ranks: Floats,
    row: int,
    other: int,
) -> Any:
    """Whether a row ranks strictly above another."""
    if scores[row] != scores[other]:
        return scores[row] > scores[other]
    if len(ranks) > 0 and ranks[row] != ranks[other]:
        return ranks[row] < ranks[other]
    return _is_greater(text, starts[row], lengths[row], starts[other], lengths[other])


@compiled
def arrange(entries: Entries, order: Integers, ends: Integers, spare: Integers) -> int:
    """Sort the rows of every topic in place, best first; returns the number of topics that were not sorted before.

    The sort is stable. `spare` is as long as the largest topic.
    """
    # Taken apart once: counting references to the arrays of a tuple in every comparison takes half as long again.
    text, starts, lengths, scores, ranks = entries
    unsorted = 0
    for topic in range(len(ends) - 1):
        first, last = ends[topic], ends[topic + 1]
        is_sorted = True
        for i in range(first + 1, last):
            if _comes_before(text, starts, lengths, scores, ranks, order[i], order[i - 1]):
                is_sorted = False
                break
        if is_sorted:
            continue
        unsorted += 1
        # Short stretches are sorted by insertion.
        for left in range(first, last, _SHORT):
            for i in range(left + 1, min(left + _SHORT, last)):
                row = order[i]
                j = i - 1
                while j >= left and _comes_before(text, starts, lengths, scores, ranks, row, order[j]):
                    order[j + 1] = order[j]
                    j -= 1
                order[j + 1] = row
        # Then neighbours are merged; those in order already cost one comparison.
        width = _SHORT
        while width < last - first:
            for left in range(first, last - width, 2 * width):
                middle, right = left + width, min(left + 2 * width, last)
                if not _comes_before(text, starts, lengths, scores, ranks, order[middle], order[middle - 1]):
                    continue
                for i in range(left, middle):
                    spare[i - left] = order[i]
                i, j, k = 0, middle, left
                while i < width and j < right:
                    if _comes_before(text, starts, lengths, scores, ranks, order[j], spare[i]):
                        order[k] = order[j]
                        j += 1
                    else:
                        order[k] = spare[i]
                        i += 1
                    k += 1
                while i < width:
                    order[k] = spare[i]
                    i += 1
                    k += 1
            width *= 2
    return unsorted
