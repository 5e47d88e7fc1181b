"""Makes the checks of clients.ts with the Python client and with the generated code alone.

Reads jobs from standard input, one per line, and writes one line with the result of each.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import grpc.aio
from daikon import AsyncClient, Client, Resource, Subject
from daikon.v1.permissions_pb2 import PermissionCheckRequest, PermissionCheckResponse

threads = 64
check_method = "/daikon.v1.PermissionService/Check"
Decide = Callable[[dict[str, Any]], Any]


def run(job: dict[str, Any], checks: list[dict[str, Any]]) -> dict[str, float]:
    return asyncio.run(run_tasks(job, checks)) if job["mode"] == "asyncio" else run_threads(job, checks)


def run_threads(job: dict[str, Any], checks: list[dict[str, Any]]) -> dict[str, float]:
    address = f"127.0.0.1:{job['port']}"
    with ThreadPoolExecutor(threads) as pool, grpc.insecure_channel(address) as channel:
        client = Client(address, service=job["service"], service_key=job["serviceKey"], timeout=60)
        method = unary_method(channel)

        def decide(item: dict[str, Any]) -> bool:
            if job["caller"] == "client":
                resource = Resource(job["type"], item["resource_id"])
                return client.check(Subject(token=item["token"]), item["action"], resource)
            return bool(method(unary_request(job, item), metadata=metadata(job, item)).results[0].allowed)

        with client:
            list(pool.map(decide, checks[: 4 * threads]))
            started, cpu = time.perf_counter(), time.process_time()
            parts = [checks[start::threads] for start in range(threads)]
            decided = list(pool.map(lambda part: [decide(item) for item in part], parts))
            seconds, used = time.perf_counter() - started, time.process_time() - cpu
    wrong = sum(
        allowed != item["allowed"]
        for part, results in zip(parts, decided)
        for item, allowed in zip(part, results)
    )
    return {"seconds": seconds, "cpu": used * 1e6, "wrong": wrong}


async def run_tasks(job: dict[str, Any], checks: list[dict[str, Any]]) -> dict[str, float]:
    address = f"127.0.0.1:{job['port']}"
    async with (
        AsyncClient(address, service=job["service"], service_key=job["serviceKey"], timeout=60) as client,
        grpc.aio.insecure_channel(address) as channel,
    ):
        method = unary_method(channel)

        async def decide(item: dict[str, Any]) -> bool:
            if job["caller"] == "client":
                resource = Resource(job["type"], item["resource_id"])
                return await client.check(Subject(token=item["token"]), item["action"], resource)
            response = await method(unary_request(job, item), metadata=metadata(job, item))
            return bool(response.results[0].allowed)

        await asyncio.gather(*map(decide, checks[:200]))
        started, cpu = time.perf_counter(), time.process_time()
        decided = await asyncio.gather(*map(decide, checks))
        seconds, used = time.perf_counter() - started, time.process_time() - cpu
    wrong = sum(allowed != item["allowed"] for item, allowed in zip(checks, decided))
    return {"seconds": seconds, "cpu": used * 1e6, "wrong": wrong}


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
