from __future__ import annotations

from collections.abc import Iterable, Iterator

from ._arguments import Evaluation

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
