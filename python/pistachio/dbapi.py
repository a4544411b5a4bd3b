"""DB-API 2.0 (PEP 249), by adbc_driver_manager: cursors that also fetch Arrow. Needs pyarrow or Polars."""
from __future__ import annotations

from typing import Any

from adbc_driver_manager.dbapi import *  # noqa: F401,F403
from adbc_driver_manager.dbapi import Connection, connect as _connect

from . import _options, library


def connect(path: Any = None, *, autocommit: bool = True, **settings: Any) -> Connection:
    """As pistachio.connect."""
    return _connect(driver=library(), db_kwargs=dict(_options(path, settings)), autocommit=autocommit)
