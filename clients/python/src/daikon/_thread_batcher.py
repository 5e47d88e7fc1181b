from __future__ import annotations

import contextlib
import math
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ._arguments import Evaluation
from ._batches import Unsent
from .errors import DaikonError, closed_error, queue_deadline_error, response_deadline_error

SendBatch = Callable[[list[Evaluation], float], "list[bool | DaikonError]"]
"""Evaluates a batch, until a deadline on the clock of `time.monotonic`."""

# While this many batches run, further checks wait for the next one.
_max_lanes = 2

# Seconds after which a check no longer waits for a batch to end, in case all are slow.
_max_wait = 0.02

# Seconds that the next batch waits for each thread that the last one has woken up. A thread takes 10 to 40 µs
# to return with its next check, and only one of them can run at a time.
_wait_for_return = 50e-6


@dataclass(eq=False, slots=True)
class _Waiter:
    """The checks that a thread waits for. The lock of the batcher guards every field except `ready`."""

    deadline: float
    missing: int
    results: list[bool]
    ready: threading.Lock
    """Locked until the thread has something to do."""
    items: list[_Item] = field(default_factory=list)
    error: Exception | None = None
    is_settled: bool = False
    leads: bool = False
    """Whether the thread has to send the next batch."""


@dataclass(eq=False, slots=True)
class _Item:
    """A check, sent once for all threads that wait for it."""

    evaluation: Evaluation
    waiters: list[tuple[_Waiter, int]]
    is_sent: bool = False


class ThreadBatcher:
    """Sends the checks of concurrent threads together.

    A thread sends its checks itself, with all that wait, if fewer than two batches run. Otherwise it waits
    until another thread has sent them, or until a batch has ended and it is its turn to send the next one.
    Just after a batch, threads return with their next checks, so the next batch waits for them for a moment.
    """

    def __init__(self, slots: threading.BoundedSemaphore, send: SendBatch) -> None:
        self.process_id = os.getpid()
        self._slots = slots
        self._send = send
        self._lock = threading.Lock()
        self._unsent: Unsent[_Item] = Unsent()
        self._running = 0
        self._is_closed = False
        self._collector: _Waiter | None = None
        """The waiter that waits for the checks of further threads before it sends a batch."""
        self._returning = 0
        """The number of threads that batches have just woken up and that have not returned."""
        self._return_until = 0.0
        """When they are no longer waited for."""

    def evaluate(self, evaluations: list[Evaluation], deadline: float) -> list[bool]:
        """Returns the decisions in order."""
        if not evaluations:
            return []
        count = len(evaluations)
        waiter = _Waiter(deadline, count, [False] * count, threading.Lock())
        waiter.ready.acquire()
        with self._lock:
            if self._is_closed:
                raise closed_error()
            self._add(waiter, evaluations)
            if self._returning > 0:
                self._returning -= 1
            if not self._collector:
                self._try_lead(waiter, _max_lanes)
            elif self._returning == 0:
                _wake(self._collector)
        try:
            self._await(waiter)
        finally:
            if waiter.leads or not waiter.is_settled:
                with self._lock:
                    self._leave(waiter)
        if waiter.error:
            raise waiter.error
        return waiter.results

    def close(self) -> None:
        """Fails the checks that have not been sent. The channel fails the others."""
        with self._lock:
            self._is_closed = True
            waiters: list[_Waiter] = []
            for item in self._unsent:
                self._settle(item, closed_error(), waiters)
            self._unsent.clear()
        for waiter in waiters:
            _wake(waiter)

    def _add(self, waiter: _Waiter, evaluations: list[Evaluation]) -> None:
        for index, evaluation in enumerate(evaluations):
            item = _Item(evaluation, [(waiter, index)])
            sent = self._unsent.add(item)
            if sent is not item:
                sent.waiters.append((waiter, index))
            waiter.items.append(sent)

    def _await(self, waiter: _Waiter) -> None:
        """Waits until the waiter is settled, and sends batches when it is its turn."""
        max_wait = _max_wait
        while not waiter.is_settled:
            if waiter.leads:
                self._lead(waiter)
                continue
            remaining = waiter.deadline - time.monotonic()
            if remaining <= 0:
                is_sent = all(item.is_sent for item in waiter.items)
                raise response_deadline_error() if is_sent else queue_deadline_error()
            if not waiter.ready.acquire(timeout=min(remaining, max_wait)):
                with self._lock:
                    if not self._try_lead(waiter, self._running + 1):
                        max_wait = remaining

    def _try_lead(self, waiter: _Waiter, max_lanes: int) -> bool:
        """Makes a waiter send the next batch, unless its checks have been sent or all lanes are taken."""
        if self._running >= max_lanes or all(item.is_sent for item in waiter.items):
            return waiter.leads
        self._running += 1
        waiter.leads = True
        return True

    def _lead(self, waiter: _Waiter) -> None:
        self._collect(waiter)
        if not self._slots.acquire(timeout=max(waiter.deadline - time.monotonic(), 0)):
            raise queue_deadline_error()
        try:
            with self._lock:
                # Another thread may have sent the checks of this one, which then sends no others.
                is_sent = all(item.is_sent for item in waiter.items)
                items = [] if is_sent else self._unsent.take_batch()
                for item in items:
                    item.is_sent = True
            if items:
                self._send_items(items, waiter.deadline)
        finally:
            self._slots.release()
        if all(item.is_sent for item in waiter.items):
            with self._lock:
                self._pass_lead(waiter)

    def _collect(self, waiter: _Waiter) -> None:
        """Waits for the threads that a batch has just woken up, unless another thread does."""
        with self._lock:
            remaining = min(self._return_until, waiter.deadline) - time.monotonic()
            if self._collector or self._returning == 0 or remaining <= 0:
                return
            self._collector = waiter
        try:
            waiter.ready.acquire(timeout=remaining)
        finally:
            with self._lock:
                self._collector = None
                self._returning = 0

    def _send_items(self, items: list[_Item], deadline: float) -> None:
        results: list[bool | DaikonError] | Exception
        try:
            results = self._send([item.evaluation for item in items], deadline)
        except Exception as error:
            results = error
        except BaseException:
            # Only this thread was interrupted.
            with self._lock:
                self._requeue(items, -math.inf)
            raise
        waiters: list[_Waiter] = []
        with self._lock:
            if isinstance(results, DaikonError) and results.code == "deadline_exceeded":
                items = self._requeue(items, deadline)
            for index, item in enumerate(items):
                self._settle(item, results if isinstance(results, Exception) else results[index], waiters)
            now = time.monotonic()
            # Threads of earlier batches that have not returned in time may never do so.
            self._returning = len(waiters) + (self._returning if now < self._return_until else 0)
            self._return_until = now + self._returning * _wait_for_return
        for waiter in waiters:
            _wake(waiter)

    def _requeue(self, items: list[_Item], deadline: float) -> list[_Item]:
        """Puts back the checks that somebody waits for longer than a deadline. Returns the others."""
        ended = []
        for item in items:
            later = [each for each in item.waiters if each[0].deadline > deadline and not each[0].is_settled]
            item.waiters = [each for each in item.waiters if each[0].deadline <= deadline]
            if item.waiters:
                ended.append(item)
            for waiter, index in later:
                new = _Item(item.evaluation, [(waiter, index)])
                again = self._unsent.add(new)
                if again is not new:
                    again.waiters.append((waiter, index))
                waiter.items[waiter.items.index(item)] = again
        return ended

    def _settle(self, item: _Item, result: bool | Exception, settled: list[_Waiter]) -> None:
        """Gives a result to the waiters of a check, and adds those that have all of theirs to a list."""
        for waiter, index in item.waiters:
            if waiter.is_settled:
                continue
            if isinstance(result, Exception):
                waiter.error = result
            else:
                waiter.results[index] = result
                waiter.missing -= 1
                if waiter.missing > 0:
                    continue
            waiter.is_settled = True
            settled.append(waiter)
        # Waiters refer to their items. Without this, only the garbage collector would free both.
        item.waiters.clear()

    def _pass_lead(self, waiter: _Waiter) -> None:
        """Ends the turn of a waiter, and begins that of the first one whose checks have not been sent."""
        waiter.leads = False
        self._running -= 1
        for item in self._unsent:
            for candidate, _ in item.waiters:
                if not candidate.leads and self._try_lead(candidate, _max_lanes):
                    _wake(candidate)
                return

    def _leave(self, waiter: _Waiter) -> None:
        """Removes a waiter that has ended."""
        for item in waiter.items:
            if item.is_sent:
                continue
            item.waiters = [each for each in item.waiters if each[0] is not waiter]
            if not item.waiters:
                self._unsent.remove(item.evaluation)
        if waiter.leads:
            self._pass_lead(waiter)


def _wake(waiter: _Waiter) -> None:
    # Another thread may just have done it.
    with contextlib.suppress(RuntimeError):
        waiter.ready.release()
