"""Measures what it takes to wake threads up, without daikon and gRPC: the least that their checks cost.

Each of 64 threads waits until all do, and the last one wakes the others up. Prints microseconds of CPU and of
time for each time that a thread waits.
"""

from __future__ import annotations

import threading
import time

threads = 64
rounds = 2000


def main() -> None:
    lock = threading.Lock()
    waiting: list[threading.Lock] = []

    def wait_in_turns() -> None:
        ready = threading.Lock()
        ready.acquire()
        for _ in range(rounds):
            with lock:
                waiting.append(ready)
                others = [*waiting] if len(waiting) == threads else None
                if others:
                    waiting.clear()
            for other in others or ():
                other.release()
            ready.acquire()

    started, cpu = time.perf_counter(), time.process_time()
    running = [threading.Thread(target=wait_in_turns) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    seconds, used = time.perf_counter() - started, time.process_time() - cpu
    waits = threads * rounds
    print(f"{used / waits * 1e6:.1f} µs of CPU, {seconds / waits * 1e6:.1f} µs")


main()
