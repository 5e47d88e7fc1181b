from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import groupby
from typing import Any, cast
from unittest.mock import AsyncMock, create_autospec

import grpc
import pytest
from daikon import (
    AsyncClient,
    CancelledError,
    Check,
    Client,
    DaikonError,
    DeadlineExceededError,
    Grantee,
    InvalidArgumentError,
    Resource,
    Subject,
    UnavailableError,
)
from daikon.v1.access_pb2 import EvaluateBatchRequest

from .proxy import start_proxy
from .stub import Stub, StubError, start_stub

settings: dict[str, Any] = {"service": "docs", "service_key": "dk_stub", "timeout": 30}
subject = Subject(user_id="u")


def document(id: object) -> Resource:
    return Resource("document", str(id))


def token_of(signature: object) -> str:
    """Returns a token with the format of a JSON Web Token."""
    return f"e30.e30.{signature}"


def allow_all(request: EvaluateBatchRequest) -> list[bool]:
    return [True] * len(request.evaluations)


def allow_even(request: EvaluateBatchRequest) -> list[bool]:
    return [int(item.resource.id) % 2 == 0 for item in request.evaluations]


def run_async(
    evaluate: Callable[[EvaluateBatchRequest], list[bool]],
    scenario: Callable[[AsyncClient, Stub], Awaitable[None]],
    **options: Any,
) -> None:
    """Runs a scenario with a stub and its client."""

    async def run(stub: Stub) -> None:
        options.setdefault("timeout", 30)
        async with AsyncClient(stub.address, service="docs", service_key="dk_stub", **options) as client:
            await scenario(client, stub)

    with start_stub(evaluate) as stub:
        asyncio.run(run(stub))


async def until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.005)


def test_checks_of_one_turn_are_sent_in_one_batch() -> None:
    async def scenario(client: AsyncClient, stub: Stub) -> None:
        results = await asyncio.gather(
            *(client.check(Subject(token=token_of(n % 7)), "view", document(n)) for n in range(500))
        )
        assert results == [n % 2 == 0 for n in range(500)]
        assert len(stub.batches) == 1
        first = stub.batches[0].evaluations[0]
        assert (first.subject.type, first.subject.id) == ("access_token", token_of(0))
        assert (first.resource.type, first.resource.id) == ("docs:document", "0")
        assert stub.metadata[0]["x-service-key"] == "dk_stub"

    run_async(allow_even, scenario)


def test_checks_need_no_tasks_but_can_have_them() -> None:
    async def scenario(client: AsyncClient, stub: Stub) -> None:
        # Only the first operation makes the client ready for the event loop.
        await client.check(subject, "view", document(0))
        tasks = asyncio.all_tasks()
        checks = [client.check(subject, "view", document(n)) for n in range(3)]
        assert asyncio.all_tasks() == tasks
        assert await asyncio.gather(*checks) == [True, False, True]
        assert await asyncio.create_task(client.check(subject, "view", document(1))) is False
        assert await asyncio.wait_for(client.check(subject, "view", document(2)), 30) is True
        assert await asyncio.shield(client.check(subject, "view", document(2))) is True
        # A mistake is raised where the check is awaited.
        check = client.check(subject, "", document(1))
        with pytest.raises(InvalidArgumentError, match="action"):
            await check

    run_async(allow_even, scenario)
    assert isinstance(create_autospec(AsyncClient).check, AsyncMock)
    with start_stub(allow_even) as stub:
        client = AsyncClient(stub.address, **settings)
        assert asyncio.run(client.check(subject, "view", document(2))) is True


def test_identical_checks_are_sent_once() -> None:
    checks = [
        Check(subject, "view", document(1)),
        Check(subject, "view", document(1)),
        Check(Subject(token=token_of(1)), "view", document(1)),
        Check(Subject(user_id="v"), "view", document(1)),
        Check(subject, "edit", document(1)),
        Check(subject, "view", document(2)),
        Check(subject, "view", document(2), {"amount": 1}),
        Check(subject, "view", document(2), {"amount": 1}),
        Check(subject, "view", document(2), {"amount": 2}),
    ]

    async def scenario(client: AsyncClient, stub: Stub) -> None:
        await asyncio.gather(*(client.check(*check[:3], context=check.context) for check in checks))
        assert [len(batch.evaluations) for batch in stub.batches] == [7]

    run_async(allow_all, scenario)
    with start_stub(allow_all) as stub, Client(stub.address, **settings) as client:
        assert client.check_many(checks) == [True] * 9
        assert [len(batch.evaluations) for batch in stub.batches] == [7]


def test_a_check_that_starts_after_a_batch_was_sent_does_not_use_its_result() -> None:
    released = threading.Event()
    decisions = [True, False]

    def evaluate(request: EvaluateBatchRequest) -> list[bool]:
        decision = decisions.pop(0)
        if decision:
            released.wait(30)
        return [decision] * len(request.evaluations)

    async def scenario(client: AsyncClient, stub: Stub) -> None:
        first = asyncio.create_task(client.check(subject, "view", document(1)))
        await until(lambda: stub.batches)
        assert await client.check(subject, "view", document(1)) is False
        released.set()
        assert await first is True

    run_async(evaluate, scenario)


def test_batches_have_at_most_1000_items_and_less_than_4_mib() -> None:
    checks = [(subject, "view", document(n)) for n in range(2500)]
    large = Subject(token=token_of("x" * 16_000))
    large_checks = [(large, "view", document(n)) for n in range(500)]
    expected = [n % 2 == 0 for n in range(2500)]

    async def scenario(client: AsyncClient, stub: Stub) -> None:
        assert await client.check_many(checks) == expected
        assert sorted(len(batch.evaluations) for batch in stub.batches) == [500, 1000, 1000]
        stub.batches.clear()
        await client.check_many(large_checks)
        assert len(stub.batches) > 1

    run_async(allow_even, scenario)
    with start_stub(allow_even) as stub:
        with Client(stub.address, **settings) as client:
            assert client.check_many(checks) == expected
            assert [len(batch.evaluations) for batch in stub.batches] == [1000, 1000, 500]
            client.check_many(large_checks)
            assert len(stub.batches) > 4


class Counter:
    """Counts the concurrent calls."""

    def __init__(self) -> None:
        self.running = 0
        self.max_running = 0
        self.lock = threading.Lock()

    def evaluate(self, request: EvaluateBatchRequest) -> list[bool]:
        with self.lock:
            self.running += 1
            self.max_running = max(self.max_running, self.running)
        time.sleep(0.005)
        with self.lock:
            self.running -= 1
        return allow_even(request)


def test_a_batch_has_the_checks_of_one_subject_in_a_row() -> None:
    async def scenario(client: AsyncClient, stub: Stub) -> None:
        def check(user: str, number: int) -> Awaitable[bool]:
            return client.check(Subject(user_id=user), "view", document(number))

        await asyncio.gather(
            *(
                check(user, number)
                for number in range(2000)
                for user in ("many", "first", "second")
                if user == "many" or number < 10
            )
        )
        runs = [
            [(user, len(list(items))) for user, items in groupby(item.subject.id for item in batch.evaluations)]
            for batch in stub.batches
        ]
        assert runs == [
            [("many", 1000)],
            [("first", 10), ("second", 10), ("many", 980)],
            [("many", 20)],
        ]

    run_async(allow_all, scenario, max_in_flight=1)


def test_at_most_max_in_flight_calls_run_at_once_and_all_complete() -> None:
    counter = Counter()

    async def scenario(client: AsyncClient, _stub: Stub) -> None:
        tasks = []
        for n in range(60):
            tasks.append(asyncio.create_task(client.check(subject, "view", document(n))))
            tasks.append(asyncio.create_task(client.check(subject, "edit", document(n))))
            await asyncio.sleep(0.001)
        assert await asyncio.gather(*tasks) == [n // 2 % 2 == 0 for n in range(120)]

    run_async(counter.evaluate, scenario, max_in_flight=2)
    assert counter.max_running == 2


def test_threads_share_max_in_flight() -> None:
    counter = Counter()
    with start_stub(counter.evaluate) as stub:
        with Client(stub.address, **settings, max_in_flight=2) as client:
            results: dict[int, bool] = {}

            def check(n: int) -> None:
                results[n] = client.check(subject, "view", document(n))

            threads = [threading.Thread(target=check, args=(n,)) for n in range(20)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert results == {n: n % 2 == 0 for n in range(20)}
    assert counter.max_running <= 2


class Gate:
    """Holds batches about the resource `held` until it is released."""

    def __init__(self) -> None:
        self.released = threading.Event()

    def evaluate(self, request: EvaluateBatchRequest) -> list[bool]:
        if request.evaluations[0].resource.id == "held":
            self.released.wait(30)
        return [item.resource.id.endswith("0") for item in request.evaluations]


def run_threads(functions: list[Callable[[], object]]) -> list[threading.Thread]:
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    return threads


def wait_until(condition: Callable[[], object]) -> None:
    while not condition():
        time.sleep(0.005)


def test_checks_of_threads_share_a_batch_while_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daikon._thread_batcher._max_wait", 30)
    gate = Gate()
    with start_stub(gate.evaluate) as stub, Client(stub.address, **settings) as client:
        results: dict[int, bool] = {}

        def hold(action: str) -> None:
            client.check(subject, action, document("held"))

        def check(n: int) -> None:
            results[n] = client.check(subject, "view", document(n))

        threads = run_threads([lambda: hold("view")])
        wait_until(lambda: len(stub.batches) == 1)
        threads += run_threads([lambda: hold("edit")])
        wait_until(lambda: len(stub.batches) == 2)
        threads += run_threads([partial(check, n) for n in range(20)])
        wait_until(lambda: len(client._batcher._unsent) == 20)
        gate.released.set()
        for thread in threads:
            thread.join()
        assert results == {n: n in (0, 10) for n in range(20)}
        assert [len(batch.evaluations) for batch in stub.batches] == [1, 1, 20]


def test_a_batch_waits_for_the_threads_that_the_last_one_has_woken_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("daikon._thread_batcher._max_lanes", 1)
    monkeypatch.setattr("daikon._thread_batcher._max_wait", 30)
    monkeypatch.setattr("daikon._thread_batcher._wait_for_return", 30)
    gate = Gate()
    with start_stub(gate.evaluate) as stub, Client(stub.address, **settings) as client:

        def check(*ids: object) -> None:
            for id in ids:
                client.check(subject, "view", document(id))

        threads = run_threads([lambda: check("held", 1, 2)])
        wait_until(lambda: stub.batches)
        threads += run_threads([partial(check, 10 * n, 10 * n + 1) for n in range(1, 5)])
        wait_until(lambda: len(client._batcher._unsent) == 4)
        gate.released.set()
        for thread in threads:
            thread.join()
        assert [len(batch.evaluations) for batch in stub.batches] == [1, 5, 5]


def test_slow_batches_do_not_hold_back_the_checks_of_other_threads() -> None:
    gate = Gate()
    with start_stub(gate.evaluate) as stub, Client(stub.address, **settings) as client:
        threads = run_threads([partial(client.check, subject, f"a{n}", document("held")) for n in range(5)])
        wait_until(lambda: sum(len(batch.evaluations) for batch in stub.batches) == 5)
        assert client.check(subject, "view", document(10)) is True
        gate.released.set()
        for thread in threads:
            thread.join()


def test_a_short_deadline_of_one_thread_does_not_end_the_checks_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("daikon._thread_batcher._max_lanes", 1)
    monkeypatch.setattr("daikon._thread_batcher._max_wait", 30)
    first, second = threading.Event(), threading.Event()
    gates = [first, second]

    def evaluate(request: EvaluateBatchRequest) -> list[bool]:
        if gates:
            gates.pop(0).wait(30)
        return allow_all(request)

    with start_stub(evaluate) as stub, Client(stub.address, **settings) as client:
        results: dict[str, object] = {}

        def check(action: str, timeout: float) -> None:
            try:
                results[action] = client.check(subject, action, document(1), timeout=timeout)
            except DaikonError as error:
                results[action] = error.reason

        threads = run_threads([lambda: check("view", 30)])
        wait_until(lambda: len(stub.batches) == 1)
        # The thread whose check comes first sends those of both.
        threads += run_threads([lambda: check("edit", 1)])
        wait_until(lambda: len(client._batcher._unsent) == 1)
        threads += run_threads([lambda: check("share", 30)])
        unsent = client._batcher._unsent._subjects[str(subject.user_id)]
        wait_until(lambda: any(waiting.action == "share" for waiting in list(unsent)))
        first.set()
        wait_until(lambda: "edit" in results)
        second.set()
        for thread in threads:
            thread.join()
        assert results == {"view": True, "edit": "DEADLINE_EXCEEDED", "share": True}


def test_operations_that_wait_for_another_call_fail_at_their_own_deadline() -> None:
    released = threading.Event()

    def evaluate(request: EvaluateBatchRequest) -> list[bool]:
        released.wait(30)
        return allow_all(request)

    async def scenario(client: AsyncClient, stub: Stub) -> None:
        first = asyncio.create_task(client.check(subject, "view", document(1)))
        await until(lambda: stub.batches)
        for operation in (
            client.check(subject, "view", document(2), timeout=0.05),
            client.set_visibility(document(2), "private", timeout=0.05),
        ):
            with pytest.raises(DeadlineExceededError, match="max_in_flight"):
                await operation
        assert len(stub.batches) == 1
        assert stub.changes == []
        released.set()
        assert await first is True
        # The client can make calls again.
        assert await client.check(subject, "view", document(3)) is True

    run_async(evaluate, scenario, max_in_flight=1)
    released.clear()
    with start_stub(evaluate) as stub:
        with Client(stub.address, **settings, max_in_flight=1) as client:
            thread = threading.Thread(target=client.check, args=(subject, "view", document(1)))
            thread.start()
            while not stub.batches:
                time.sleep(0.005)
            with pytest.raises(DeadlineExceededError, match="max_in_flight"):
                client.check(subject, "view", document(2), timeout=0.05)
            released.set()
            thread.join()


class Failures:
    """Fails with each status of a list and then succeeds."""

    def __init__(self) -> None:
        self.statuses: list[grpc.StatusCode] = []

    def evaluate(self, request: EvaluateBatchRequest) -> list[bool]:
        if self.statuses:
            raise StubError(self.statuses.pop(0))
        return allow_all(request)


def test_calls_are_retried_only_after_unavailable() -> None:
    failures = Failures()
    unavailable = grpc.StatusCode.UNAVAILABLE

    async def scenario(client: AsyncClient, stub: Stub) -> None:
        for statuses, error, calls in (
            ([unavailable] * 2, None, 3),
            ([unavailable] * 3, UnavailableError, 3),
            ([grpc.StatusCode.INTERNAL], DaikonError, 1),
        ):
            failures.statuses = list(statuses)
            stub.batches.clear()
            check = client.check(subject, "view", document(1))
            if error:
                with pytest.raises(error):
                    await check
            else:
                assert await check is True
            assert len(stub.batches) == calls

    run_async(failures.evaluate, scenario)
    with start_stub(failures.evaluate) as stub:
        with Client(stub.address, **settings) as client:
            failures.statuses = [unavailable] * 2
            assert client.check(subject, "view", document(1)) is True
            assert len(stub.batches) == 3
            failures.statuses = [unavailable] * 3
            with pytest.raises(UnavailableError):
                client.check(subject, "view", document(1))
            assert len(stub.batches) == 6


def test_only_idempotent_changes_are_retried() -> None:
    async def scenario(client: AsyncClient, stub: Stub) -> None:
        for operation, calls in (
            (client.transfer(document(1), "u", as_="token"), 1),
            (client.transfer(document(1), "u"), 3),
            (client.revoke(document(1), Grantee(user_id="u")), 3),
        ):
            stub.changes.clear()
            with pytest.raises(UnavailableError):
                await operation
            assert len(stub.changes) == calls

    run_async(allow_all, scenario)


def test_a_connection_on_which_two_deadlines_pass_is_replaced() -> None:
    with (
        start_stub(allow_all) as stub,
        start_proxy(stub.address) as proxy,
        Client(proxy.address, service="docs", service_key="dk_stub") as client,
    ):
        assert client.check(subject, "view", document(1), timeout=30)
        proxy.silence()
        for _ in range(2):
            assert proxy.connections == 1
            with pytest.raises(DeadlineExceededError):
                client.check(subject, "view", document(1), timeout=0.2)
        # Less than the 15 seconds after which pings find out.
        assert client.check(subject, "view", document(1), timeout=9)
        assert proxy.connections == 2


def test_a_connection_on_which_two_deadlines_pass_is_replaced_with_asyncio() -> None:
    async def scenario(address: str, count: Callable[[], int], silence: Callable[[], None]) -> None:
        async with AsyncClient(address, service="docs", service_key="dk_stub") as client:
            assert await client.check(subject, "view", document(1), timeout=30)
            silence()
            for _ in range(2):
                assert count() == 1
                with pytest.raises(DeadlineExceededError):
                    # Checks of one moment count once.
                    await asyncio.gather(
                        client.check(subject, "view", document(1), timeout=0.2),
                        client.check(subject, "view", document(2), timeout=0.2),
                    )
            assert await client.check(subject, "view", document(1), timeout=9)
            assert count() == 2

    with start_stub(allow_all) as stub, start_proxy(stub.address) as proxy:
        asyncio.run(scenario(proxy.address, lambda: proxy.connections, proxy.silence))


def test_a_response_without_a_result_is_an_error_and_not_a_denial() -> None:
    with (
        start_stub(lambda request: [True] * (len(request.evaluations) - 1)) as stub,
        Client(stub.address, **settings) as client,
    ):
        for count in (1, 2):
            checks = [Check(subject, "view", document(id)) for id in range(count)]
            with pytest.raises(DaikonError, match="fewer results than checks"):
                client.check_many(checks)


def test_a_cancelled_task_does_not_fail_others() -> None:
    released = threading.Event()

    def evaluate(request: EvaluateBatchRequest) -> list[bool]:
        released.wait(30)
        return allow_all(request)

    async def scenario(client: AsyncClient, stub: Stub) -> None:
        tasks = [asyncio.create_task(client.check(subject, "view", document(n % 50))) for n in range(51)]
        await until(lambda: stub.batches)
        for task in tasks[:50]:
            task.cancel()
        for result in await asyncio.gather(*tasks[:50], return_exceptions=True):
            assert isinstance(result, asyncio.CancelledError)
        assert not stub.cancelled.is_set()
        released.set()
        assert await tasks[50] is True

    run_async(evaluate, scenario)


def test_a_cancelled_check_is_not_sent_unless_another_one_needs_it() -> None:
    async def scenario(client: AsyncClient, stub: Stub) -> None:
        await client.check(subject, "view", document(0))
        cancelled = (0, 2, 3, 6, 7)
        checks = [
            cast("asyncio.Future[bool]", client.check(subject, "view", document(n // 2))) for n in range(8)
        ]
        for n in cancelled:
            checks[n].cancel()
        results = await asyncio.gather(*checks, return_exceptions=True)
        assert [type(result) for result in results] == [
            asyncio.CancelledError if n in cancelled else bool for n in range(8)
        ]
        assert [[item.resource.id for item in batch.evaluations] for batch in stub.batches] == [
            ["0"],
            ["0", "2"],
        ]
        check = client.check(subject, "view", document(0))
        task = asyncio.create_task(check)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert cast("asyncio.Future[bool]", check).cancelled()

    run_async(allow_even, scenario)


def test_checks_in_a_batch_fail_at_their_own_deadlines() -> None:
    released = threading.Event()

    def evaluate(request: EvaluateBatchRequest) -> list[bool]:
        if request.evaluations[0].resource.id != "0":
            released.wait(30)
        return allow_even(request)

    async def scenario(client: AsyncClient, stub: Stub) -> None:
        await client.check(subject, "view", document(0))
        patient = client.check(subject, "view", document(2))
        checks = [client.check(subject, "view", document(n), timeout=0.05) for n in (1, 2)]
        many = client.check_many([(subject, "view", document(n)) for n in (2, 3)], timeout=0.05)
        for failed in await asyncio.gather(*checks, many, return_exceptions=True):
            assert isinstance(failed, DeadlineExceededError)
        released.set()
        assert await patient is True

    run_async(evaluate, scenario)


def test_a_call_is_cancelled_when_no_task_waits_for_it() -> None:
    outcomes: list[bool] = []

    async def scenario(client: AsyncClient, stub: Stub) -> None:
        def evaluate(request: EvaluateBatchRequest) -> list[bool]:
            outcomes.append(stub.cancelled.wait(30))
            return allow_all(request)

        stub.evaluate = evaluate
        task = asyncio.create_task(client.check(subject, "view", document(1)))
        await until(lambda: stub.batches)
        task.cancel()
        await until(lambda: outcomes)
        assert outcomes == [True]

    run_async(allow_all, scenario)


def test_close_cancels_running_calls_and_rejects_later_ones() -> None:
    released = threading.Event()

    def evaluate(request: EvaluateBatchRequest) -> list[bool]:
        released.wait(30)
        return allow_all(request)

    async def scenario(client: AsyncClient, stub: Stub) -> None:
        running = asyncio.create_task(client.check(subject, "view", document(1)))
        stub.hold = released
        await until(lambda: stub.batches)
        waiting = asyncio.create_task(client.check(subject, "view", document(2)))
        changing = asyncio.create_task(client.set_visibility(document(1), "private"))
        await until(lambda: stub.changes)
        await client.close()
        for task in (running, waiting, changing):
            with pytest.raises(CancelledError):
                await task
        with pytest.raises(CancelledError):
            await client.check(subject, "view", document(1))
        with pytest.raises(CancelledError):
            await client.set_visibility(document(1), "private")
        released.set()

    run_async(evaluate, scenario, max_in_flight=3)
    released.clear()
    with start_stub(evaluate) as stub:
        client = Client(stub.address, **settings)
        errors: list[Exception] = []

        def check() -> None:
            try:
                client.check(subject, "view", document(1))
            except DaikonError as error:
                errors.append(error)

        thread = threading.Thread(target=check)
        thread.start()
        while not stub.batches:
            time.sleep(0.005)
        client.close()
        thread.join()
        released.set()
        assert isinstance(errors[0], CancelledError)
        with pytest.raises(CancelledError):
            client.check(subject, "view", document(1))
        client.close()
        unused = Client(stub.address, **settings)
        unused.close()
        with pytest.raises(CancelledError):
            unused.check(subject, "view", document(1))


def test_a_client_can_be_used_in_successive_event_loops() -> None:
    with start_stub(allow_all) as stub:
        client = AsyncClient(stub.address, **settings)
        for _ in range(2):
            assert asyncio.run(client.check(subject, "view", document(1))) is True
        loop = asyncio.new_event_loop()
        assert loop.run_until_complete(client.check(subject, "view", document(1))) is True
        with pytest.raises(RuntimeError, match="another event loop"):
            asyncio.run(client.check(subject, "view", document(1)))
        loop.run_until_complete(client.close())
        loop.close()
