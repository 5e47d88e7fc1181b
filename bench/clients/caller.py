"""Makes the checks of client.ts with the Python client and with the generated code alone.

Reads jobs from standard input, one per line, and writes one line with the result of each.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import grpc.aio
from daikon import AsyncClient, Client, Resource, Subject
from daikon.v1.access_pb2 import EvaluateBatchRequest, EvaluateBatchResponse
from daikon.v1.permissions_pb2 import PermissionCheckRequest, PermissionCheckResponse

threads = 64
check_method = "/daikon.v1.PermissionService/Check"
batch_method = "/daikon.v1.AccessService/EvaluateBatch"
batch_size = 1000
Decide = Callable[[dict[str, Any]], Any]


def run(job: dict[str, Any], checks: list[dict[str, Any]]) -> dict[str, float]:
    return asyncio.run(run_tasks(job, checks)) if job["mode"] == "asyncio" else run_threads(job, checks)


def run_threads(job: dict[str, Any], checks: list[dict[str, Any]]) -> dict[str, float]:
    address = f"127.0.0.1:{job['port']}"
    is_list = job["mode"] == "list"
    with ThreadPoolExecutor(threads) as pool, grpc.insecure_channel(address) as channel:
        client = Client(address, service=job["service"], service_key=job["serviceKey"], timeout=60)
        method = unary_method(channel)

        def name(item: dict[str, Any]) -> tuple[Subject, str, Resource]:
            return Subject(token=item["token"]), item["action"], Resource(job["type"], item["resource_id"])

        def decide(item: dict[str, Any]) -> bool:
            if job["caller"] == "client":
                return client.check(*name(item))
            return bool(method(unary_request(job, item), metadata=metadata(job, item)).results[0].allowed)

        send_batch = batch_caller(channel)

        def decide_all(items: list[dict[str, Any]]) -> list[bool]:
            if job["caller"] == "batches":
                calls = [batch_call(job, batch) for batch in batches(items)]
                responses = pool.map(lambda call: send_batch(call[0], metadata=call[1]), calls)
                return [found.decision for response in responses for found in response.evaluations]
            if is_list and job["caller"] == "client":
                return client.check_many(map(name, items))
            decided = [False] * len(items)

            def decide_part(start: int) -> None:
                for index in range(start, len(items), threads):
                    decided[index] = decide(items[index])

            list(pool.map(decide_part, range(threads)))
            return decided

        with client:
            first = checks[: 4 * threads]
            decide_all(first)
            started, cpu = time.perf_counter(), time.process_time()
            decided = decide_all(checks)
            seconds, used = time.perf_counter() - started, time.process_time() - cpu
    return result(seconds, used, len(first), checks, decided)


async def run_tasks(job: dict[str, Any], checks: list[dict[str, Any]]) -> dict[str, float]:
    address = f"127.0.0.1:{job['port']}"
    async with (
        AsyncClient(address, service=job["service"], service_key=job["serviceKey"], timeout=60) as client,
        grpc.aio.insecure_channel(address) as channel,
    ):
        method = unary_method(channel)

        def check(item: dict[str, Any]) -> Coroutine[Any, Any, bool]:
            resource = Resource(job["type"], item["resource_id"])
            return client.check(Subject(token=item["token"]), item["action"], resource)

        async def decide(item: dict[str, Any]) -> bool:
            response = await method(unary_request(job, item), metadata=metadata(job, item))
            return bool(response.results[0].allowed)

        send_batch = batch_caller(channel)

        async def send(batch: list[dict[str, Any]]) -> Any:
            request, sent = batch_call(job, batch)
            return await send_batch(request, metadata=sent)

        async def decide_all(items: list[dict[str, Any]]) -> list[bool]:
            if job["caller"] == "batches":
                responses = await asyncio.gather(*map(send, batches(items)))
                return [found.decision for response in responses for found in response.evaluations]
            return await asyncio.gather(*map(check if job["caller"] == "client" else decide, items))

        first = checks[:200]
        await decide_all(first)
        started, cpu = time.perf_counter(), time.process_time()
        decided = await decide_all(checks)
        seconds, used = time.perf_counter() - started, time.process_time() - cpu
    return result(seconds, used, len(first), checks, decided)


def result(
    seconds: float, cpu: float, first: int, checks: list[dict[str, Any]], decided: list[bool]
) -> dict[str, float]:
    wrong = sum(allowed != item["allowed"] for item, allowed in zip(checks, decided))
    return {"seconds": seconds, "cpu": cpu * 1e6, "total": first + len(checks), "wrong": wrong}


def batch_caller(channel: Any) -> Any:
    return channel.unary_unary(
        batch_method,
        request_serializer=EvaluateBatchRequest.SerializeToString,
        response_deserializer=EvaluateBatchResponse.FromString,
    )


def batches(items: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    return [items[start : start + batch_size] for start in range(0, len(items), batch_size)]


def batch_call(
    job: dict[str, Any], items: list[dict[str, Any]]
) -> tuple[EvaluateBatchRequest, tuple[tuple[str, str], ...]]:
    request = EvaluateBatchRequest()
    for item in items:
        evaluation = request.evaluations.add()
        evaluation.subject.type, evaluation.subject.id = "access_token", item["token"]
        evaluation.action.name = item["action"]
        evaluation.resource.type = f"{job['service']}:{job['type']}"
        evaluation.resource.id = item["resource_id"]
    return request, (("x-service-key", job["serviceKey"]),)


def unary_method(channel: Any) -> Any:
    return channel.unary_unary(
        check_method,
        request_serializer=PermissionCheckRequest.SerializeToString,
        response_deserializer=PermissionCheckResponse.FromString,
    )


def unary_request(job: dict[str, Any], item: dict[str, Any]) -> PermissionCheckRequest:
    request = PermissionCheckRequest()
    check = request.checks.add()
    check.service_name, check.resource_type = job["service"], job["type"]
    check.resource_id, check.action = item["resource_id"], item["action"]
    return request


def metadata(job: dict[str, Any], item: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return (("x-service-key", job["serviceKey"]), ("authorization", f"Bearer {item['token']}"))


def main() -> None:
    checks: list[dict[str, Any]] = []
    for line in sys.stdin:
        job = json.loads(line)
        if not checks:
            with open(job["file"]) as file:
                checks = json.load(file)
        print(json.dumps(run(job, checks)), flush=True)


main()
