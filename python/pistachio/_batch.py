"""Batches of a result whose columns of numbers are DLPack tensors, in the engine's own memory."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from ._arrow import Array, Column

_CPU = (1, 0)


class _Library:
    """The functions that are called. _capsule.so lies beside the library, or is this package's."""

    def __init__(self, path: str) -> None:
        self.c = ctypes.CDLL(path)
        for name in ("message", "hint"):
            getattr(self.c, "pistachio_error_" + name).restype = ctypes.c_char_p
        for name in ("pistachio_error_message", "pistachio_error_hint", "pistachio_error_free"):
            getattr(self.c, name).argtypes = [ctypes.c_void_p]
        self.c.pistachio_arrow_dlpack.argtypes = [ctypes.POINTER(Array), ctypes.c_uint32, ctypes.POINTER(ctypes.c_void_p)]
        self.c.pistachio_arrow_dlpack.restype = ctypes.c_void_p
        self.python = self._capsules(path)
        self.python.pistachio_capsule.argtypes = [ctypes.c_void_p]
        self.python.pistachio_capsule.restype = ctypes.py_object
        self.python.pistachio_capsule_copy.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(ctypes.c_int)]
        self.python.pistachio_capsule_copy.restype = ctypes.py_object

    @staticmethod
    def _capsules(path: str) -> Any:
        for folder in (os.path.dirname(__file__), os.path.dirname(path)):
            if folder and os.path.exists(os.path.join(folder, "_capsule.so")):
                return ctypes.PyDLL(os.path.join(folder, "_capsule.so"))
        raise ImportError("DLPack needs _capsule.so, which is neither in this package nor beside " + path
                          + ": scripts/wheel puts it into the wheel where a build has made it")


_libraries: Dict[str, _Library] = {}


def load(path: str) -> _Library:
    if path not in _libraries:
        _libraries[path] = _Library(path)
    return _libraries[path]


class Tensor:
    """A column of a batch, for numpy.from_dlpack, torch.from_dlpack and their like: integers and floats without NULLs.
    Memory is not copied, and must not be written to; NumPy knows that, PyTorch does not."""

    def __init__(self, batch: "Batch", index: int) -> None:
        self._batch, self._index = batch, index

    def __len__(self) -> int:
        return len(self._batch)

    def __dlpack_device__(self) -> Tuple[int, int]:
        return _CPU

    def __dlpack__(self, *, stream: Any = None, max_version: Optional[Tuple[int, int]] = None,
                   dl_device: Optional[Tuple[Any, int]] = None, copy: Optional[bool] = None) -> Any:
        """Who knows DLPack before 1.0 alone gets a copy: it cannot be told that memory is not to be written to."""
        if dl_device is not None and (int(dl_device[0]), dl_device[1]) != _CPU:
            raise BufferError("the column lies in the host's memory: dl_device must be (1, 0)")
        if stream not in (None, -1):
            raise BufferError("the host's memory has no streams: stream must be None")
        is_versioned = max_version is not None and max_version[0] >= 1
        if not is_versioned and copy is False:
            raise BufferError("memory that is not to be written to is only for DLPack 1.0 and later: max_version=(1, 0)")
        return self._batch._capsule(self._index, copy or not is_versioned, is_versioned)


class Batch:
    """Rows of a result: batch["name"], or batch[0], is a Tensor. They stay when the result is gone."""

    def __init__(self, library: str, columns: Sequence[Column], array: Array) -> None:
        self._path, self._array = library, array
        self.columns: List[str] = [column.name for column in columns]

    def __len__(self) -> int:
        return int(self._array.length)

    def __getitem__(self, column: Union[str, int]) -> Tensor:
        if isinstance(column, str):
            if column not in self.columns:
                raise KeyError(f"there is no column \"{column}\"; there are " + ", ".join(self.columns))
            return Tensor(self, self.columns.index(column))
        return Tensor(self, range(len(self.columns))[column])

    def __del__(self) -> None:
        if self._array.release:
            self._array.release(ctypes.byref(self._array))

    def _capsule(self, index: int, is_copied: bool, is_versioned: bool) -> Any:
        library, tensor, is_made = load(self._path), ctypes.c_void_p(), ctypes.c_int()
        error = library.c.pistachio_arrow_dlpack(ctypes.byref(self._array), index, ctypes.byref(tensor))
        if error:
            raise BufferError(self._message(library, error, index))
        if not is_copied:
            return library.python.pistachio_capsule(tensor)
        try:
            return library.python.pistachio_capsule_copy(tensor, is_versioned, ctypes.byref(is_made))
        except ValueError:  # NULL without an exception
            raise MemoryError("no memory for a copy of the column") from None

    def _message(self, library: _Library, error: int, index: int) -> str:
        text, hint = (getattr(library.c, "pistachio_error_" + name)(error) for name in ("message", "hint"))
        message = f"\"{self.columns[index]}\": {text.decode()}" + (f"\nhint: {hint.decode()}" if hint else "")
        library.c.pistachio_error_free(error)
        return message
