from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

from ._arguments import Evaluation

Function = TypeVar("Function", bound=Callable[..., Coroutine[Any, Any, Any]])


class Item(Protocol):
    """A check that is sent, or for which an identical one is."""

    evaluation: Evaluation
    deadline: float
    batch: Batch | None
    """The call, once the check has been sent."""
    sent_as: Item | None
    """The identical check that is sent in its place."""
    same: list[Item] | None
    """Identical checks that share this one's result."""
    waiting: int
    """The number of these checks, with this one, that an operation still waits for."""

    @property
    def future(self) -> asyncio.Future[Any]:
        """The future of the operation that waits for the check."""

    @property
    def is_sent(self) -> bool:
        """Whether all checks of the operation have been sent."""

    def settle(self, result: bool | Exception) -> None:
        """Reports the result, unless the operation has ended."""


class Batch:
    """A running call."""

    __slots__ = ("items", "task", "waiting")

    def __init__(self, items: list[Item]) -> None:
        self.items = items
        self.waiting = len(items)
        """The number of its items that an operation still waits for."""
        self.task: asyncio.Task[None] | None = None


class CheckResult(asyncio.Future[bool], Coroutine[Any, Any, bool]):
    """A check and its future result.

    `gather` and `wait_for` make a task of a coroutine, which takes longer than everything else about a check,
    but wait for a future as it is. This one is also a coroutine, so that tasks can be made of it.
    """

    __slots__ = ("batch", "deadline", "evaluation", "leave", "same", "sent_as", "waiting")

    evaluation: Evaluation
    deadline: float
    batch: Batch | None
    sent_as: Item | None
    same: list[Item] | None
    waiting: int
    leave: Callable[[Item], None]

    @property
    def future(self) -> asyncio.Future[bool]:
        return self

    @property
    def is_sent(self) -> bool:
        return _was_sent(self)

    def settle(self, result: bool | Exception) -> None:
        if self.done():
            return
        if result is True or result is False:
            self.set_result(result)
        else:
            self.set_exception(result)

    def cancel(self, msg: Any | None = None) -> bool:
        if not super().cancel(msg):
            return False
        self.leave(self)
        return True

    def send(self, value: Any) -> Any:
        return self.__await__().send(value)

    def throw(self, *error: Any) -> Any:
        # A task that is cancelled before its first step.
        self.cancel()
        return self.__await__().throw(*error)

    def close(self) -> None:
        self.cancel()


class ManyChecks:
    """The checks of an operation that waits for all of them."""

    __slots__ = ("future", "missing", "parts", "results")

    def __init__(
        self, future: asyncio.Future[list[bool]], evaluations: list[Evaluation], deadline: float
    ) -> None:
        self.future = future
        self.missing = len(evaluations)
        self.results = [False] * self.missing
        self.parts = [Part(self, index, evaluation, deadline) for index, evaluation in enumerate(evaluations)]


class Part:
    """One of the checks of an operation."""

    __slots__ = ("_index", "_many", "batch", "deadline", "evaluation", "same", "sent_as", "waiting")

    def __init__(self, many: ManyChecks, index: int, evaluation: Evaluation, deadline: float) -> None:
        self._many = many
        self._index = index
        self.evaluation = evaluation
        self.deadline = deadline
        self.batch: Batch | None = None
        self.sent_as: Item | None = None
        self.same: list[Item] | None = None
        self.waiting = 1

    @property
    def future(self) -> asyncio.Future[list[bool]]:
        return self._many.future

    @property
    def is_sent(self) -> bool:
        return all(map(_was_sent, self._many.parts))

    def settle(self, result: bool | Exception) -> None:
        many = self._many
        if many.future.done():
            return
        if isinstance(result, Exception):
            many.future.set_exception(result)
            return
        many.results[self._index] = result
        many.missing -= 1
        if many.missing == 0:
            many.future.set_result(many.results)


def _was_sent(item: Item) -> bool:
    return (item.sent_as or item).batch is not None


def coroutine_function(function: Function) -> Function:
    """Makes a function that returns a coroutine look like `async def` to frameworks and mocks."""
    mark: Callable[[Function], Function] | None = getattr(inspect, "markcoroutinefunction", None)
    if mark:
        return mark(function)
    # Before Python 3.12.
    function._is_coroutine = asyncio.coroutines._is_coroutine  # type: ignore[attr-defined]
    return function
