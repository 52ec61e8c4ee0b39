"""Every file format → the model, and the model → files; docs/formats.md describes them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
