from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from ._arguments import Evaluation
from ._batches import Unsent
from .errors import DaikonError, closed_error, queue_deadline_error, response_deadline_error

SendBatch = Callable[[list[Evaluation], float], Awaitable[list[bool | DaikonError]]]
"""Evaluates a batch, until a deadline on the clock of `time.monotonic`."""


class Limiter:
    """Runs at most `capacity` calls concurrently. Further calls wait in order."""

    def __init__(self, capacity: int) -> None:
        self._free = capacity
        self._waiting: deque[Callable[[], None]] = deque()

    def try_enter(self) -> bool:
        if self._free == 0:
            return False
        self._free -= 1
        return True

    def when_free(self, callback: Callable[[], None]) -> None:
        """Takes a slot when one is free, then calls `callback`."""
        self._waiting.append(callback)

    async def enter(self, deadline: float) -> None:
        if self.try_enter():
            return
        loop = asyncio.get_running_loop()
        entered: asyncio.Future[None] = loop.create_future()

        def enter() -> None:
            if entered.done():
                self.release()
            else:
                entered.set_result(None)

        self._waiting.append(enter)
        try:
            await asyncio.wait_for(asyncio.shield(entered), max(deadline - time.monotonic(), 0))
        except asyncio.TimeoutError:
            if entered.done():
                self.release()
            entered.cancel()
            raise queue_deadline_error() from None
        except asyncio.CancelledError:
            if entered.done() and not entered.cancelled():
                self.release()
            entered.cancel()
            raise

    def release(self) -> None:
        if self._waiting:
            self._waiting.popleft()()
        else:
            self._free += 1


@dataclass(eq=False, slots=True)
class _Waiter:
    """An operation that waits for the results of its checks."""

    future: asyncio.Future[list[bool]]
    deadline: float
    results: list[bool]
    missing: int
    items: list[_Item] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class _Item:
    """A check, sent once for all operations that wait for it."""

    evaluation: Evaluation
    waiters: list[tuple[_Waiter, int]] = field(default_factory=list)
    waiting: int = 0
    batch: _Batch | None = None
    is_settled: bool = False


@dataclass(eq=False, slots=True)
class _Batch:
    """A running call, with the number of its items that an operation still waits for."""

    waiting: int
    task: asyncio.Task[None] | None = None


class CheckBatcher:
    """Collects the checks of one turn of the event loop and sends them together."""

    def __init__(self, limiter: Limiter, send: SendBatch) -> None:
        self._limiter = limiter
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._unsent: Unsent[_Item] = Unsent()
        self._waiters: set[_Waiter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_scheduled = False
        self._is_waiting_for_slot = False
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0

    async def evaluate(self, evaluations: list[Evaluation], deadline: float) -> list[bool]:
        """Returns the decisions in order."""
        if not evaluations:
            return []
        future: asyncio.Future[list[bool]] = self._loop.create_future()
        count = len(evaluations)
        waiter = _Waiter(future, deadline, [False] * count, count)
        for index, evaluation in enumerate(evaluations):
            item = self._unsent.find_or_add(evaluation, _Item)
            item.waiters.append((waiter, index))
            item.waiting += 1
            waiter.items.append(item)
        self._waiters.add(waiter)
        self._schedule()
        self._watch(deadline)
        try:
            return await future
        finally:
            self._waiters.discard(waiter)
            if waiter.missing > 0:
                self._leave(waiter)

    def close(self) -> None:
        """Fails all waiting checks."""
        if self._timer:
            self._timer.cancel()
        for waiter in list(self._waiters):
            if not waiter.future.done():
                waiter.future.set_exception(closed_error())

    def _schedule(self) -> None:
        if not self._is_scheduled:
            self._is_scheduled = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._is_scheduled = False
        while self._unsent and not self._is_waiting_for_slot:
            if not self._limiter.try_enter():
                self._is_waiting_for_slot = True
                self._limiter.when_free(self._flush_with_slot)
                return
            self._send_next()

    def _flush_with_slot(self) -> None:
        self._is_waiting_for_slot = False
        self._send_next()
        self._flush()

    def _send_next(self) -> None:
        """Sends a batch. The caller must already hold a slot of the limiter."""
        items = self._unsent.take_batch()
        if not items:
            self._limiter.release()
            return
        batch = _Batch(len(items))
        deadline = 0.0
        for item in items:
            item.batch = batch
            deadline = max(deadline, *(waiter.deadline for waiter, _ in item.waiters))
        batch.task = self._loop.create_task(self._run(items, deadline))
        self._tasks.add(batch.task)
        batch.task.add_done_callback(self._finish)

    def _finish(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._limiter.release()

    async def _run(self, items: list[_Item], deadline: float) -> None:
        try:
            results = await self._send([item.evaluation for item in items], deadline)
        except DaikonError as error:
            for item in items:
                self._settle(item, error)
        except Exception as error:
            for item in items:
                self._settle(item, error)
        else:
            for item, result in zip(items, results):
                self._settle(item, result)

    def _settle(self, item: _Item, result: bool | Exception) -> None:
        item.is_settled = True
        for waiter, index in item.waiters:
            if waiter.future.done():
                continue
            if isinstance(result, Exception):
                waiter.future.set_exception(result)
                continue
            waiter.results[index] = result
            waiter.missing -= 1
            if waiter.missing == 0:
                waiter.future.set_result(waiter.results)
        # Waiters refer to their items. Without this, only the garbage collector would free both.
        item.waiters.clear()

    def _leave(self, waiter: _Waiter) -> None:
        """Removes an operation that ended early, and cancels calls that no other operation waits for."""
        for item in waiter.items:
            if item.is_settled:
                continue
            item.waiting -= 1
            if item.waiting > 0:
                continue
            if item.batch is None:
                self._unsent.remove(item.evaluation)
                continue
            item.batch.waiting -= 1
            if item.batch.waiting == 0 and item.batch.task:
                item.batch.task.cancel()

    def _watch(self, deadline: float) -> None:
        """Starts a timer for all waiters. One is enough, because most deadlines are the same and few are
        reached."""
        if self._timer:
            if self._timer_at <= deadline:
                return
            self._timer.cancel()
        self._timer_at = deadline
        self._timer = self._loop.call_later(max(deadline - time.monotonic(), 0), self._expire)

    def _expire(self) -> None:
        self._timer = None
        now = time.monotonic()
        for waiter in self._waiters:
            if waiter.future.done():
                continue
            if waiter.deadline > now:
                self._watch(waiter.deadline)
                continue
            is_sent = all(item.batch for item in waiter.items)
            error = response_deadline_error() if is_sent else queue_deadline_error()
            waiter.future.set_exception(error)
