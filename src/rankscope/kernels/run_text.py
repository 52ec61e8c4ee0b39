"""Lines of runs and judgments, from raw bytes to arrays: fields, exact numbers, names compared byte by byte."""

from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.kernels.compiled import Floats, Integers, compiled

Bytes = npt.NDArray[np.uint8]
Codes = npt.NDArray[np.int32]

# FNV-1a in signed arithmetic, which wraps as well as unsigned and mixes with no other type.
_SEED, _PRIME, _MIXER = -3750763034362895579, 1099511628211, -7046029254386353131
_TENS = 10.0 ** np.arange(23)  # exact
_EXACT_BELOW = 2**53
_MORE_DIGITS_BELOW = 10**17
# A value within this share of the true one rounds to the same single unless a boundary lies between.
_LOWER, _UPPER = 1.0 - 2.0**-50, 1.0 + 2.0**-50
_SMALLEST, _GREATEST = 1e-30, 1e30  # far inside the range of normal singles

EXACT, NEAR, UNSURE = 0, 1, 2


@compiled
def is_space(byte: int) -> bool:
    """White space as C's `isspace` has it: space, tab, line feed, vertical tab, form feed, carriage return."""
    return byte == 32 or 9 <= byte <= 13


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
def same_bytes(one: Bytes, start: Any, other: Bytes, begin: Any, length: Any) -> bool:
    """Whether two stretches of this length are equal."""
    for i in range(length):  # noqa: SIM110  numba compiles no generator
        # Unsigned: numba sees to negative places otherwise, and that takes time.
        if one[np.uint64(start + i)] != other[np.uint64(begin + i)]:
            return False
    return True


@compiled
def number(text: Bytes, start: int, end: int) -> tuple[float, int]:
    """The number in text[start:end] and how sure it is: EXACT, NEAR (within 2⁻⁵⁰ of it), or UNSURE, for Python to read.

    At most 2⁵³ times or over a power of ten up to 10²² is one correctly rounded operation on exact doubles (Clinger
    1990).
    """
    i = start
    negative = text[i] == 45
    if negative or text[i] == 43:
        i += 1
    digits: Any = 0
    power, found, dropped, after_point = 0, False, False, False
    while i < end:
        byte = np.int64(text[np.uint64(i)])
        if 48 <= byte <= 57:
            found = True
            if digits < _MORE_DIGITS_BELOW:
                digits = digits * 10 + (byte - 48)
                power -= after_point
            else:
                dropped = dropped or byte != 48
                power += not after_point
        elif byte == 46 and not after_point:
            after_point = True
        else:
            break
        i += 1
    if not found:
        return 0.0, UNSURE
    if i < end:
        if text[i] != 101 and text[i] != 69:
            return 0.0, UNSURE
        i += 1
        down = i < end and text[i] == 45
        if i < end and (down or text[i] == 43):
            i += 1
        if i == end or end - i > 4:
            return 0.0, UNSURE
        exponent: Any = 0
        while i < end:
            byte = np.int64(text[i])
            if byte < 48 or byte > 57:
                return 0.0, UNSURE
            exponent = exponent * 10 + (byte - 48)
            i += 1
        power += -exponent if down else exponent
    value = float(digits)
    sure = EXACT if digits <= _EXACT_BELOW and not dropped and -22 <= power <= 22 else NEAR
    if digits != 0:
        if power < -44 or power > 44:
            return 0.0, UNSURE
        if power < -22:
            value, power = value / _TENS[22], power + 22
        elif power > 22:
            value, power = value * _TENS[22], power - 22
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
def _is_same(text: Bytes, start: Any, end: Any, begin: Any, stop: Any) -> bool:
    return end - start == stop - begin and same_bytes(text, start, text, begin, end - start)


@compiled
def _fields(text: Bytes, position: int, begins: Integers, ends: Integers) -> tuple[int, int, Any]:
    """Where the next line begins, the number of this line's fields, and the hash of the third."""
    n, fields = len(text), 0
    code: Any = _SEED
    while True:
        while position < n:
            byte = text[np.uint64(position)]
            if byte > 32 or byte == 10 or not is_space(byte):
                break
            position += 1
        if position >= n or text[np.uint64(position)] == 10:
            break
        start = position
        if fields == 2:
            while position < n:
                byte = text[np.uint64(position)]
                if byte <= 32 and is_space(byte):
                    break
                code = (code ^ np.int64(byte)) * _PRIME
                position += 1
        else:
            while position < n:
                byte = text[np.uint64(position)]
                if byte <= 32 and is_space(byte):
                    break
                position += 1
        if fields < len(begins):
            begins[fields] = start
            ends[fields] = position
        fields += 1
    return position + 1, fields, _mixed(code)


@compiled
def _noted(
    text: Bytes,
    row: int,
    field: int,
    begins: Integers,
    ends: Integers,
    single: bool,
    unsure: Integers,
    outcome: Integers,
) -> float:
    """The number in a field; noted among the unsure ones if it is not surely right."""
    value, sure = number(text, begins[field], ends[field])
    if sure == UNSURE or (sure == NEAR and not (single and _rounds_alike(value))):
        count = outcome[2]
        unsure[count, 0] = row
        unsure[count, 1] = begins[field]
        unsure[count, 2] = ends[field]
        unsure[count, 3] = field
        outcome[2] = count + 1
    return value


@compiled
def _check_tag(text: Bytes, start: int, end: int, outcome: Integers) -> None:
    """Keep where the first tag is, and where the first is that differs."""
    if outcome[5] < 0:
        outcome[5] = start
        outcome[6] = end
    elif outcome[7] < 0 and not _is_same(text, start, end, outcome[5], outcome[6]):
        outcome[7] = start


@compiled
def _topic(text: Bytes, start: int, end: int, slots: Codes, topics: Integers, known: int) -> Any:
    """The code of a topic's name, `known` if it is new; then it is entered."""
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
def scan(
    text: Bytes,
    width: int,
    number_field: int,
    single: bool,
    second_field: int,
    tag_field: int,
    topic_of: Codes,
    starts: Integers,
    lengths: Integers,
    hashes: Integers,
    numbers: Floats,
    seconds: Floats,
    unsure: Integers,
    slots: Codes,
    topics: Integers,
    outcome: Integers,
) -> None:
    """Read lines of `width` fields, the first a topic and the third a document, up to the first that is wrong.

    Fills in, for each row, its topic's code, where its document begins, how long that is, its hash, the number in
    `number_field` and the one in `second_field` (−1: none); rows whose numbers Python must read, as (row, start, end,
    field); and where each topic's name begins and ends. A number is surely right, or in `single` precision surely
    right when rounded to that. `slots` are a power of two, all −1, and twice as many as lines.

    `outcome`: the number of rows, of topics, and of rows for Python; where the wrong line begins (−1: none) and its
    number of fields; where the first tag begins and ends, and where one that differs begins (−1: none).
    """
    ends = np.zeros(width, np.int64)
    begins = np.zeros(width, np.int64)
    rows, position, topic = 0, 0, np.int64(-1)
    for i in range(len(outcome)):
        outcome[i] = -1 if i >= 3 else 0
    while position < len(text):
        line = position
        position, fields, code = _fields(text, position, begins, ends)
        if fields == 0:
            continue
        if fields != width:
            outcome[3] = line
            outcome[4] = fields
            break
        if topic < 0 or not _is_same(text, begins[0], ends[0], topics[topic, 0], topics[topic, 1]):
            topic = _topic(text, begins[0], ends[0], slots, topics, outcome[1])
            outcome[1] = max(outcome[1], topic + 1)
        topic_of[rows] = topic
        starts[rows] = begins[2]
        lengths[rows] = ends[2] - begins[2]
        hashes[rows] = code
        numbers[rows] = _noted(text, rows, number_field, begins, ends, single, unsure, outcome)
        if second_field >= 0:
            seconds[rows] = _noted(text, rows, second_field, begins, ends, False, unsure, outcome)
        if tag_field >= 0:
            _check_tag(text, begins[tag_field], ends[tag_field], outcome)
        rows += 1
    outcome[0] = rows


@compiled
def group(
    text: Bytes,
    topic_of: Codes,
    starts: Integers,
    lengths: Integers,
    hashes: Integers,
    ends: Integers,
    table: Codes,
    order: Integers,
    first: Integers,
) -> None:
    """Rows by topic into `order`, in the order of lines, and the first row of each row's document into `first`.

    Rows of topic t go from `ends[t]` to `ends[t + 1]`. `table` is a power of two, twice as large as the largest topic.
    """
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
                    and same_bytes(text, starts[known], text, starts[row], lengths[row])
                ):
                    first[row] = known
                    break
                place = (place + 1) & (size - 1)
            if first[row] == row:
                table[place] = row


@compiled
def _greater(text: Bytes, start: int, length: int, begin: int, size: int) -> Any:
    """Whether the first name comes after the second by bytes, as `strcmp` has it; equal ones do not."""
    for i in range(min(length, size)):
        one, other = text[start + i], text[begin + i]
        if one != other:
            return one > other
    return length > size


@compiled
def _before(
    text: Bytes,
    scores: npt.NDArray[np.float32],
    ranks: Floats,
    starts: Integers,
    lengths: Integers,
    one: int,
    other: int,
) -> Any:
    if scores[one] != scores[other]:
        return scores[one] > scores[other]
    if len(ranks) > 0 and ranks[one] != ranks[other]:
        return ranks[one] < ranks[other]
    return _greater(text, starts[one], lengths[one], starts[other], lengths[other])


@compiled
def arrange(
    text: Bytes,
    order: Integers,
    ends: Integers,
    scores: npt.NDArray[np.float32],
    ranks: Floats,
    starts: Integers,
    lengths: Integers,
    spare: Integers,
) -> int:
    """Put the rows of every topic in order, best first, in place; the number of topics that were not so already.

    By score descending, then by `ranks` ascending if there are any, then by name descending. Rows that are alike
    stay in their order. `spare` is as long as the largest topic.
    """
    disorderly = 0
    for topic in range(len(ends) - 1):
        a, b = ends[topic], ends[topic + 1]
        ordered = True
        for i in range(a + 1, b):
            if _before(text, scores, ranks, starts, lengths, order[i], order[i - 1]):
                ordered = False
                break
        if ordered:
            continue
        disorderly += 1
        # Runs already in order are merged with their neighbours, so that two sorted halves cost one pass.
        for start in range(a, b, 8):
            for i in range(start + 1, min(start + 8, b)):
                row = order[i]
                j = i - 1
                while j >= start and _before(text, scores, ranks, starts, lengths, row, order[j]):
                    order[j + 1] = order[j]
                    j -= 1
                order[j + 1] = row
        step = 8
        while step < b - a:
            for left in range(a, b - step, 2 * step):
                middle, right = left + step, min(left + 2 * step, b)
                if not _before(text, scores, ranks, starts, lengths, order[middle], order[middle - 1]):
                    continue
                for i in range(left, middle):
                    spare[i - left] = order[i]
                i, j, k = 0, middle, left
                while i < step and j < right:
                    if _before(text, scores, ranks, starts, lengths, order[j], spare[i]):
                        order[k] = order[j]
                        j += 1
                    else:
                        order[k] = spare[i]
                        i += 1
                    k += 1
                while i < step:
                    order[k] = spare[i]
                    i += 1
                    k += 1
            step *= 2
    return disorderly
