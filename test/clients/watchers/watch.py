"""Follows the activity log, as test/support/follower.ts asks."""

import asyncio
import contextlib
import json
import os
import sys
import threading
from queue import Queue
from typing import Any

import daikon

arguments = json.loads(sys.argv[1])
options = {
    "cursor": arguments.get("cursor"),
    "workspace_id": arguments.get("workspaceId"),
    "actions": arguments.get("actions", []),
    "on_disconnect": lambda error: write({"disconnected": error.reason}),
}


def write(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


def write_message(message: daikon.WatchMessage) -> None:
    event = message.event
    facts = {"id": event.id, "action": event.action, "detail": event.detail} if event else {}
    write({"cursor": message.cursor, **facts})


def write_error(error: daikon.DaikonError) -> None:
    fields = [field.field for field in error.fields]
    failed = {"name": type(error).__name__, "code": error.code, "reason": error.reason, "fields": fields}
    write({"failed": failed})


def follow(commands: Queue[str], ended: threading.Event) -> None:
    client = daikon.Client(arguments["address"], service="docs", service_key=arguments["key"])

    def read() -> None:
        for line in sys.stdin:
            if line == "close\n":
                client.close()
            else:
                commands.put(line.strip())
        ended.set()

    threading.Thread(target=read, daemon=True).start()
    try:
        credit = int(commands.get())
        for message in client.watch(**options):
            write_message(message)
            credit -= 1
            if credit > 0:
                continue
            command = commands.get()
            if command == "leave":
                break
            credit = int(command)
        write({"ended": True})
    except daikon.DaikonError as error:
        write_error(error)
    ended.wait()
    client.close()


async def follow_async() -> None:
    loop = asyncio.get_running_loop()
    commands: asyncio.Queue[str] = asyncio.Queue()
    ended = asyncio.Event()
    async with daikon.AsyncClient(arguments["address"], service="docs", service_key=arguments["key"]) as client:

        def read() -> None:
            for line in sys.stdin:
                if line == "close\n":
                    asyncio.run_coroutine_threadsafe(client.close(), loop)
                else:
                    loop.call_soon_threadsafe(commands.put_nowait, line.strip())
            loop.call_soon_threadsafe(ended.set)

        threading.Thread(target=read, daemon=True).start()
        try:
            credit = int(await commands.get())
            async with contextlib.aclosing(client.watch(**options)) as messages:
                async for message in messages:
                    write_message(message)
                    credit -= 1
                    if credit > 0:
                        continue
                    command = await commands.get()
                    if command == "leave":
                        break
                    credit = int(command)
            write({"ended": True})
        except daikon.DaikonError as error:
            write_error(error)
        await ended.wait()


if os.environ.get("ASYNC"):
    asyncio.run(follow_async())
else:
    follow(Queue(), threading.Event())
