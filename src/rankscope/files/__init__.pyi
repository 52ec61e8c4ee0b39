"""The names that other packages use, each listed once and imported on first use."""

from .atomic import (
    replacing as replacing,
    write_bytes as write_bytes,
    write_text as write_text,
)
from .battles import (
    read_battles as read_battles,
)
from .judgments import (
    frame_judgments as frame_judgments,
    read_judgments as read_judgments,
)
from .label_table import (
    ON_CONFLICT as ON_CONFLICT,
    OnConflict as OnConflict,
)
from .recognise import (
    FORMATS as FORMATS,
    Format as Format,
)
from .runs import (
    NAME_FROM as NAME_FROM,
    ON_DUPLICATE as ON_DUPLICATE,
    TIES as TIES,
    NameFrom as NameFrom,
    OnDuplicate as OnDuplicate,
    Ties as Ties,
    read_runs as read_runs,
)
from .samples import (
    is_sample as is_sample,
    read_sample as read_sample,
)
from .scores import (
    read_scores as read_scores,
)
from .write_tables import (
    WRITE_FORMATS as WRITE_FORMATS,
    WriteFormat as WriteFormat,
    write_scores as write_scores,
)
from .write_trec import (
    write_judgments as write_judgments,
    write_runs as write_runs,
    write_sample as write_sample,
)
