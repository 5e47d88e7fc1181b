from daikon.v1 import admin_records_pb2 as _admin_records_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WatchActivityRequest(_message.Message):
    __slots__ = ("cursor", "workspace_id", "actions", "last_event_id")
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    LAST_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    cursor: str
    workspace_id: str
    actions: _containers.RepeatedScalarFieldContainer[str]
    last_event_id: str
    def __init__(self, cursor: _Optional[str] = ..., workspace_id: _Optional[str] = ..., actions: _Optional[_Iterable[str]] = ..., last_event_id: _Optional[str] = ...) -> None: ...

class WatchActivityResponse(_message.Message):
    __slots__ = ("cursor", "event", "bookmark")
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    BOOKMARK_FIELD_NUMBER: _ClassVar[int]
    cursor: str
    event: _admin_records_pb2.ActivityEntry
    bookmark: bool
    def __init__(self, cursor: _Optional[str] = ..., event: _Optional[_Union[_admin_records_pb2.ActivityEntry, _Mapping]] = ..., bookmark: bool = ...) -> None: ...
