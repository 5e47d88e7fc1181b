from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Iterator
from itertools import chain

from ._arguments import Evaluation
from ._batches import Unsent
from ._check_results import Batch, CheckResult, Item, ManyChecks
from ._limiter import Limiter
from .errors import DaikonError, closed_error, queue_deadline_error, response_deadline_error

SendBatch = Callable[[list[Evaluation], float], Awaitable[list[bool | DaikonError]]]
"""Evaluates a batch, until a deadline on the clock of `time.monotonic`."""


class CheckBatcher:
    """Collects the checks of one turn of the event loop and sends them together."""

    def __init__(self, limiter: Limiter, send: SendBatch) -> None:
        self._limiter = limiter
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._unsent: Unsent[Item] = Unsent()
        self._batches: set[Batch] = set()
        self._is_scheduled = False
        self._is_waiting_for_slot = False
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = math.inf
        # One method object for all checks.
        self._leave_method = self._leave

    def check(self, evaluation: Evaluation, deadline: float) -> CheckResult:
        result = CheckResult(loop=self._loop)
        result.evaluation = evaluation
        result.deadline = deadline
        result.batch = result.sent_as = result.same = None
        result.waiting = 1
        result.leave = self._leave_method
        self._add(result)
        self._schedule(deadline)
        return result

    async def check_many(self, evaluations: list[Evaluation], deadline: float) -> list[bool]:
        """Returns the decisions in order."""
        if not evaluations:
            return []
        future: asyncio.Future[list[bool]] = self._loop.create_future()
        many = ManyChecks(future, evaluations, deadline)
        for part in many.parts:
            self._add(part)
        self._schedule(deadline)
        try:
            return await future
        finally:
            if many.missing > 0:
                for part in many.parts:
                    self._leave(part)
            # Parts refer to it. Without this, only the garbage collector would free both.
            many.parts = []

    def close(self) -> None:
        """Fails all waiting checks."""
        if self._timer:
            self._timer.cancel()
        for item in list(self._waiting()):
            item.settle(closed_error())

    def _add(self, item: Item) -> None:
        sent = self._unsent.add(item)
        if sent is item:
            return
        item.sent_as = sent
        sent.waiting += 1
        if sent.same is None:
            sent.same = []
        sent.same.append(item)

    def _schedule(self, deadline: float) -> None:
        if not self._is_scheduled:
            self._is_scheduled = True
            self._loop.call_soon(self._flush)
        if deadline < self._timer_at:
            self._watch(deadline)

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
        batch = Batch(items)
        deadline = 0.0
        for item in items:
            item.batch = batch
            if item.deadline > deadline:
                deadline = item.deadline
            if item.same:
                deadline = max(deadline, *(same.deadline for same in item.same))
        self._batches.add(batch)
        batch.task = self._loop.create_task(self._run(batch, deadline))
        batch.task.add_done_callback(lambda _task: self._finish(batch))

    def _finish(self, batch: Batch) -> None:
        self._batches.discard(batch)
        # Items refer to the batch. Without this, only the garbage collector would free both.
        batch.items = []
        self._limiter.release()

    async def _run(self, batch: Batch, deadline: float) -> None:
        results: list[bool | DaikonError] | list[Exception]
        try:
            results = await self._send([item.evaluation for item in batch.items], deadline)
        except Exception as error:
            results = [error] * len(batch.items)
        for item, result in zip(batch.items, results):
            item.settle(result)
            if item.same:
                for same in item.same:
                    same.settle(result)
                item.same = None

    def _leave(self, item: Item) -> None:
        """Removes a check that nobody waits for, and cancels a call that has only such checks."""
        sent = item.sent_as or item
        sent.waiting -= 1
        if sent.waiting > 0:
            return
        if sent.batch is None:
            self._unsent.remove(sent.evaluation)
            return
        sent.batch.waiting -= 1
        if sent.batch.waiting == 0 and sent.batch.task:
            sent.batch.task.cancel()

    def _waiting(self) -> Iterator[Item]:
        """All checks that an operation waits for."""
        for sent in chain(self._unsent, *(batch.items for batch in self._batches)):
            for item in (sent, *(sent.same or ())):
                if not item.future.done():
                    yield item

    def _watch(self, deadline: float) -> None:
        """Starts a timer for all checks. One is enough, because most deadlines are the same and few are
        reached."""
        if self._timer:
            self._timer.cancel()
        self._timer_at = deadline
        self._timer = self._loop.call_later(max(deadline - time.monotonic(), 0), self._expire)

    def _expire(self) -> None:
        self._timer = None
        self._timer_at = math.inf
        now = time.monotonic()
        for item in list(self._waiting()):
            if item.deadline > now:
                if item.deadline < self._timer_at:
                    self._watch(item.deadline)
            elif not item.future.done():
                item.settle(response_deadline_error() if item.is_sent else queue_deadline_error())
                if isinstance(item, CheckResult):
                    self._leave(item)
