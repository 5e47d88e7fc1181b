from __future__ import annotations

from collections.abc import Iterable, Iterator

from ._arguments import Evaluation

# The checks of one batch, a limit of the server.
max_items = 1000

# The size of a batch in bytes; the server accepts 4 MiB.
max_bytes = 3 * 1024 * 1024

# Encoded bytes of an item without its texts, at most.
_overhead = 40


def size_of(evaluation: Evaluation) -> int:
    """The encoded bytes of an evaluation, at most: a character has up to four."""
    characters = sum(map(len, evaluation))
    return characters * (1 if all(map(str.isascii, evaluation)) else 4) + _overhead


def split_into_batches(evaluations: Iterable[Evaluation]) -> Iterator[list[Evaluation]]:
    batch: list[Evaluation] = []
    bytes = 0
    for evaluation in evaluations:
        size = size_of(evaluation)
        if batch and (len(batch) == max_items or bytes + size > max_bytes):
            yield batch
            batch, bytes = [], 0
        batch.append(evaluation)
        bytes += size
    if batch:
        yield batch
