"""Does one way of evaluating rank systems as another does? What it is worth, how sure one may be, where they differ.

`import rankscope as rs` is cheap: each public name, listed in `__init__.pyi`, is imported from its module on first use.
"""

import lazy_loader

__version__ = "0.2.0.dev0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
