"""Calls on their way to a worker: the arrays travel apart, come back as they were, and are sent once."""

import functools
import os
import pickle
import time
import warnings
from dataclasses import dataclass

import hypothesis.extra.numpy as arrays_of
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.studies.blocks import run_blocks
from rankscope.studies.sending import LEAST, Packer, unpacked

ARRAYS = arrays_of.arrays(
    st.sampled_from([np.float64, np.int32, np.uint8, np.bool_]), arrays_of.array_shapes(max_dims=3, max_side=12)
)


def sent(packer, call, received):
    """The call as a worker sees it that has these bundles."""
    packed = packer.pack(call)
    if packed.new is not None:
        received[packed.new.key] = pickle.loads(pickle.dumps(packed.new))
    return unpacked(packed.data, [received[key] for key in packed.keys])


@given(ARRAYS, st.sampled_from("CFA"), st.booleans())
def test_an_array_comes_back_as_it_was(array, order, writeable):
    array = array[::2] if order == "A" else np.array(array, order=order)
    array.flags.writeable = writeable
    (back, again), _ = sent(Packer(), ([array, array], None), {})
    assert np.array_equal(back, array, equal_nan=array.dtype.kind == "f")
    assert (back.dtype, back.shape, back is again) == (array.dtype, array.shape, True)
    if array.nbytes >= LEAST:
        assert back.flags.writeable == writeable
        if order != "A":
            assert back.strides == array.strides


def test_calls_with_the_same_arrays_name_one_bundle():
    table, labels = np.arange(100_000.0), np.arange(50_000)
    packer = Packer()
    first = packer.pack(functools.partial(np.add, table, labels[:1]))
    assert first.new is not None
    assert len(first.data) < 1_000 < table.nbytes == first.new.size
    second = packer.pack(lambda: table * 2)
    assert (second.new, second.keys) == (None, first.keys)
    third = packer.pack([labels, table])
    assert third.new is not None
    assert third.keys == (third.new.key, *first.keys)
    # The same numbers elsewhere are in this bundle, too.
    copied = packer.pack([table.copy(), labels.copy()])
    assert copied.new is None
    assert copied.keys == (*first.keys, third.new.key)


def test_what_was_forgotten_is_sent_again():
    table = np.arange(1_000.0)
    packer = Packer()
    first = packer.pack(table)
    packer.forget(*first.keys)
    again = packer.pack(table)
    assert again.new is not None
    assert again.keys == first.keys


@dataclass
class Where:
    """Which process ran it, and where its data lie there."""

    name: str
    data: np.ndarray
    own: np.ndarray

    shape = (3,)

    def run(self):
        return np.array([os.getpid(), self.data.__array_interface__["data"][0], self.own[0]], dtype=float)


def test_each_worker_gets_the_data_once_and_blocks_their_own():
    distributed = pytest.importorskip("distributed")
    data = np.zeros(200_000)
    blocks = [Where(str(i), data, np.full(64, float(i))) for i in range(60)]
    dask = pytest.importorskip("dask")
    # Dask's memory manager takes copies from workers that have nothing to do for a moment, and sends them again.
    steady = dask.config.set({"distributed.scheduler.active-memory-manager.start": False})
    with steady, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Dask says of itself when it starts is not ours to mend
        made = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        )
    with made, distributed.Client(made, set_as_default=False) as client:
        found = np.array(run_blocks(blocks, cluster=client))
        patience = time.monotonic() + 20.0
        while left := [keys for keys in client.has_what().values() if keys]:  # nothing stays there
            assert time.monotonic() < patience, left
            time.sleep(0.1)
    assert found[:, 2].tolist() == list(range(60))
    assert len(set(found[:, 0])) == 2
    assert len({tuple(place) for place in found[:, :2].tolist()}) == 2  # one place in each process
