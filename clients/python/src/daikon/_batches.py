from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Generic, Protocol, TypeVar

from ._arguments import Evaluation


class Evaluated(Protocol):
    evaluation: Evaluation


Item = TypeVar("Item", bound=Evaluated)

# The maximum number of checks in a batch, which is the server's limit.
max_items = 1000

# The maximum size of a batch in bytes. The server accepts 4 MiB.
max_bytes = 3 * 1024 * 1024

# The maximum size of an encoded item without its strings, in bytes.
_overhead = 40


def size_of(evaluation: Evaluation) -> int:
    """The maximum size of an encoded evaluation in bytes. A character takes up to four."""
    text = "".join(evaluation)
    # `[1,1]` is the shortest JSON of a number, which takes 11 bytes.
    context = len(evaluation.context) * 5
    return len(text) * (1 if text.isascii() else 4) + context + _overhead


class Unsent(Generic[Item]):
    """The items of checks that have not been sent, by their evaluations.

    A batch takes the items of one subject after the other, because the server verifies each subject of a batch.
    """

    def __init__(self) -> None:
        self._subjects: dict[str, dict[Evaluation, Item]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Item]:
        for items in self._subjects.values():
            yield from items.values()

    def add(self, item: Item) -> Item:
        """Adds an item, unless there is one with the same evaluation. Returns the one that is sent."""
        evaluation = item.evaluation
        items = self._subjects.get(evaluation.subject_id)
        if items is None:
            items = self._subjects[evaluation.subject_id] = {}
        found = items.setdefault(evaluation, item)
        if found is item:
            self._count += 1
        return found

    def remove(self, evaluation: Evaluation) -> None:
        items = self._subjects.get(evaluation.subject_id, {})
        if items.pop(evaluation, None) is None:
            return
        self._count -= 1
        if not items:
            del self._subjects[evaluation.subject_id]

    def clear(self) -> None:
        self._subjects.clear()
        self._count = 0

    def take_batch(self) -> list[Item]:
        """Removes the items of the next batch. A subject with more of them moves to the end, so that it delays
        no other."""
        batch: list[Item] = []
        bytes = 0
        for subject_id, items in list(islice(self._subjects.items(), max_items)):
            before = len(batch)
            for evaluation, item in items.items():
                bytes += size_of(evaluation)
                if batch and (len(batch) == max_items or bytes > max_bytes):
                    break
                batch.append(item)
            taken = len(batch) - before
            self._count -= taken
            if taken == len(items):
                del self._subjects[subject_id]
                continue
            if taken > 0:
                for each in list(islice(items, taken)):
                    del items[each]
                self._subjects[subject_id] = self._subjects.pop(subject_id)
            break
        return batch
