from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable

from .errors import queue_deadline_error


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
