import numpy as np
import numpy.typing as npt

from rankscope.kernels.arrays import Floats

def shuffled_sums(scores: Floats, random: npt.NDArray[np.uint32]) -> Floats: ...
