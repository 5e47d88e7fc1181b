"""Runs the example against daikon, by default against `npm run dev` in this repository."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import uvicorn
from daikon import AsyncClient

from .app import create_app
from .database import create_pool

# Where `npm run dev` keeps its service key and the address of its PostgreSQL.
dev = Path(__file__).resolve().parents[3] / ".daikon"


def create_dev_database() -> str:
    """Creates a database next to daikon's."""
    url = (dev / "database-url").read_text().strip()
    with psycopg.connect(url, autocommit=True) as connection:
        query = "select from pg_database where datname = 'documents_fastapi'"
        if connection.execute(query).fetchone() is None:
            connection.execute("create database documents_fastapi")
    return urlsplit(url)._replace(path="/documents_fastapi").geturl()


def main() -> None:
    key = os.environ.get("DAIKON_SERVICE_KEY") or (dev / "demo-service-key").read_text().strip()
    daikon = AsyncClient(os.environ.get("DAIKON_ADDRESS", "localhost:50051"), service="docs", service_key=key)
    pool = create_pool(os.environ.get("DATABASE_URL") or create_dev_database())
    listener = socket.create_server(("127.0.0.1", int(os.environ.get("PORT", "3000"))))
    print(f"http://localhost:{listener.getsockname()[1]}/documents", flush=True)
    config = uvicorn.Config(create_app(pool, daikon), log_level="warning")
    uvicorn.Server(config).run([listener])


if __name__ == "__main__":
    main()
