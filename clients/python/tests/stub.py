from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc
from daikon.v1.access_pb2 import EvaluateBatchRequest, EvaluateBatchResponse, Evaluation

Evaluate = Callable[[EvaluateBatchRequest], list[bool]]


class StubError(Exception):
    """Makes the stub fail with a status."""

    def __init__(self, status: grpc.StatusCode) -> None:
        super().__init__("an error of the stub")
        self.status = status


class Stub(grpc.GenericRpcHandler):
    """A gRPC server that evaluates batches with a function. Every other method is unavailable."""

    def __init__(self, evaluate: Evaluate) -> None:
        self.evaluate = evaluate
        self.batches: list[EvaluateBatchRequest] = []
        self.changes: list[str] = []
        self.metadata: list[dict[str, Any]] = []
        self.cancelled = threading.Event()
        self.address = ""
        self.hold: threading.Event | None = None
        """An event for which changes wait, if set."""

    def service(self, call: Any) -> grpc.RpcMethodHandler[Any, Any]:
        method = call.method.rpartition("/")[2]

        def evaluate_batch(request: EvaluateBatchRequest, context: Any) -> EvaluateBatchResponse:
            self.batches.append(request)
            self.metadata.append(dict(context.invocation_metadata()))
            context.add_callback(self.cancelled.set)
            try:
                results = self.evaluate(request)
            except StubError as error:
                context.abort(error.status, str(error))
            evaluations = [Evaluation(decision=result) for result in results]
            return EvaluateBatchResponse(evaluations=evaluations)

        def change(_request: bytes, context: Any) -> bytes:
            self.changes.append(method)
            if self.hold:
                self.hold.wait(30)
            context.abort(grpc.StatusCode.UNAVAILABLE, "away")
            return b""

        if method == "EvaluateBatch":
            return grpc.unary_unary_rpc_method_handler(
                evaluate_batch,
                request_deserializer=EvaluateBatchRequest.FromString,
                response_serializer=EvaluateBatchResponse.SerializeToString,
            )
        return grpc.unary_unary_rpc_method_handler(change)


@contextmanager
def start_stub(
    evaluate: Evaluate,
    credentials: grpc.ServerCredentials | None = None,
    address: str = "127.0.0.1:0",
) -> Iterator[Stub]:
    stub = Stub(evaluate)
    with ThreadPoolExecutor(32) as executor:
        server = grpc.server(executor, handlers=[stub])
        if credentials is None:
            port = server.add_insecure_port(address)
        else:
            port = server.add_secure_port(address, credentials)
        stub.address = f"127.0.0.1:{port}"
        server.start()
        try:
            yield stub
        finally:
            server.stop(None).wait()
