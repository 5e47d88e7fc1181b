from __future__ import annotations

from itertools import islice
from typing import TypeVar

from ._arguments import Evaluation

Item = TypeVar("Item")

# The maximum number of checks in a batch, which is the server's limit.
max_items = 1000

# The maximum size of a batch in bytes. The server accepts 4 MiB.
max_bytes = 3 * 1024 * 1024

# The maximum size of an encoded item without its strings, in bytes.
_overhead = 40


def size_of(evaluation: Evaluation) -> int:
    """The maximum size of an encoded evaluation in bytes. A character takes up to four."""
    characters = sum(map(len, evaluation))
    # `[1,1]` is the shortest JSON of a number, which takes 11 bytes.
    context = len(evaluation.context) * 5
    return characters * (1 if all(map(str.isascii, evaluation)) else 4) + context + _overhead


def take_batch(unsent: dict[Evaluation, Item]) -> list[Item]:
    """Removes the items of the next batch from those that have not been sent."""
    items: list[Item] = []
    bytes = 0
    for evaluation, item in unsent.items():
        bytes += size_of(evaluation)
        if items and (len(items) == max_items or bytes > max_bytes):
            break
        items.append(item)
    for evaluation in list(islice(unsent, len(items))):
        del unsent[evaluation]
    return items
