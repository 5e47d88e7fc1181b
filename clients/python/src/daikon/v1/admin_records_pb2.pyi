import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ActivityEntry(_message.Message):
    __slots__ = ("id", "action", "target_type", "target_id", "actor_id", "workspace_id", "detail", "created_at", "service_app_id", "key_prefix", "request_id", "ip", "actor_type", "api_key_prefix", "agent_type", "agent_id", "delegation_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    TARGET_TYPE_FIELD_NUMBER: _ClassVar[int]
    TARGET_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    SERVICE_APP_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_PREFIX_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    IP_FIELD_NUMBER: _ClassVar[int]
    ACTOR_TYPE_FIELD_NUMBER: _ClassVar[int]
    API_KEY_PREFIX_FIELD_NUMBER: _ClassVar[int]
    AGENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    DELEGATION_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    action: str
    target_type: str
    target_id: str
    actor_id: str
    workspace_id: str
    detail: _struct_pb2.Struct
    created_at: _timestamp_pb2.Timestamp
    service_app_id: str
    key_prefix: str
    request_id: str
    ip: str
    actor_type: str
    api_key_prefix: str
    agent_type: str
    agent_id: str
    delegation_id: str
    def __init__(self, id: _Optional[str] = ..., action: _Optional[str] = ..., target_type: _Optional[str] = ..., target_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., workspace_id: _Optional[str] = ..., detail: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., service_app_id: _Optional[str] = ..., key_prefix: _Optional[str] = ..., request_id: _Optional[str] = ..., ip: _Optional[str] = ..., actor_type: _Optional[str] = ..., api_key_prefix: _Optional[str] = ..., agent_type: _Optional[str] = ..., agent_id: _Optional[str] = ..., delegation_id: _Optional[str] = ...) -> None: ...
