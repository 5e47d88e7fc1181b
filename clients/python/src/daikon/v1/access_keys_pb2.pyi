import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetAccessKeysRequest(_message.Message):
    __slots__ = ("service_name", "resource_type", "action", "workspace_id", "subject")
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    service_name: str
    resource_type: str
    action: str
    workspace_id: str
    subject: AccessKeysSubject
    def __init__(self, service_name: _Optional[str] = ..., resource_type: _Optional[str] = ..., action: _Optional[str] = ..., workspace_id: _Optional[str] = ..., subject: _Optional[_Union[AccessKeysSubject, _Mapping]] = ...) -> None: ...

class AccessKeysSubject(_message.Message):
    __slots__ = ("type", "id")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    type: str
    id: str
    def __init__(self, type: _Optional[str] = ..., id: _Optional[str] = ...) -> None: ...

class AccessKeys(_message.Message):
    __slots__ = ("grants", "maybe_grants", "valid_until", "position")
    GRANTS_FIELD_NUMBER: _ClassVar[int]
    MAYBE_GRANTS_FIELD_NUMBER: _ClassVar[int]
    VALID_UNTIL_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    grants: _containers.RepeatedCompositeFieldContainer[AccessKeyGrant]
    maybe_grants: _containers.RepeatedCompositeFieldContainer[AccessKeyGrant]
    valid_until: _timestamp_pb2.Timestamp
    position: str
    def __init__(self, grants: _Optional[_Iterable[_Union[AccessKeyGrant, _Mapping]]] = ..., maybe_grants: _Optional[_Iterable[_Union[AccessKeyGrant, _Mapping]]] = ..., valid_until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., position: _Optional[str] = ...) -> None: ...

class AccessKeyGrant(_message.Message):
    __slots__ = ("holders", "levels")
    HOLDERS_FIELD_NUMBER: _ClassVar[int]
    LEVELS_FIELD_NUMBER: _ClassVar[int]
    holders: _containers.RepeatedScalarFieldContainer[str]
    levels: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, holders: _Optional[_Iterable[str]] = ..., levels: _Optional[_Iterable[str]] = ...) -> None: ...

class WatchAccessRequest(_message.Message):
    __slots__ = ("service_name", "resource_types", "cursor", "last_event_id")
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPES_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    LAST_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    service_name: str
    resource_types: _containers.RepeatedScalarFieldContainer[str]
    cursor: str
    last_event_id: str
    def __init__(self, service_name: _Optional[str] = ..., resource_types: _Optional[_Iterable[str]] = ..., cursor: _Optional[str] = ..., last_event_id: _Optional[str] = ...) -> None: ...

class WatchAccessResponse(_message.Message):
    __slots__ = ("begin", "upsert", "remove", "bookmark")
    BEGIN_FIELD_NUMBER: _ClassVar[int]
    UPSERT_FIELD_NUMBER: _ClassVar[int]
    REMOVE_FIELD_NUMBER: _ClassVar[int]
    BOOKMARK_FIELD_NUMBER: _ClassVar[int]
    begin: AccessBegin
    upsert: AccessUpsert
    remove: AccessRemove
    bookmark: AccessBookmark
    def __init__(self, begin: _Optional[_Union[AccessBegin, _Mapping]] = ..., upsert: _Optional[_Union[AccessUpsert, _Mapping]] = ..., remove: _Optional[_Union[AccessRemove, _Mapping]] = ..., bookmark: _Optional[_Union[AccessBookmark, _Mapping]] = ...) -> None: ...

class AccessBegin(_message.Message):
    __slots__ = ("generation",)
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    generation: str
    def __init__(self, generation: _Optional[str] = ...) -> None: ...

class AccessUpsert(_message.Message):
    __slots__ = ("resource_type", "resource_id", "external_id", "workspace_id", "own", "inherits_from", "inherit_key", "has_children")
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_ID_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    OWN_FIELD_NUMBER: _ClassVar[int]
    INHERITS_FROM_FIELD_NUMBER: _ClassVar[int]
    INHERIT_KEY_FIELD_NUMBER: _ClassVar[int]
    HAS_CHILDREN_FIELD_NUMBER: _ClassVar[int]
    resource_type: str
    resource_id: str
    external_id: str
    workspace_id: str
    own: _containers.RepeatedCompositeFieldContainer[AcceptedKey]
    inherits_from: _containers.RepeatedScalarFieldContainer[str]
    inherit_key: str
    has_children: bool
    def __init__(self, resource_type: _Optional[str] = ..., resource_id: _Optional[str] = ..., external_id: _Optional[str] = ..., workspace_id: _Optional[str] = ..., own: _Optional[_Iterable[_Union[AcceptedKey, _Mapping]]] = ..., inherits_from: _Optional[_Iterable[str]] = ..., inherit_key: _Optional[str] = ..., has_children: bool = ...) -> None: ...

class AcceptedKey(_message.Message):
    __slots__ = ("holder", "level", "maybe", "until")
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    MAYBE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    holder: str
    level: str
    maybe: bool
    until: _timestamp_pb2.Timestamp
    def __init__(self, holder: _Optional[str] = ..., level: _Optional[str] = ..., maybe: bool = ..., until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class AccessRemove(_message.Message):
    __slots__ = ("resource_type", "resource_id")
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    resource_type: str
    resource_id: str
    def __init__(self, resource_type: _Optional[str] = ..., resource_id: _Optional[str] = ...) -> None: ...

class AccessBookmark(_message.Message):
    __slots__ = ("cursor", "position", "complete")
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    cursor: str
    position: str
    complete: bool
    def __init__(self, cursor: _Optional[str] = ..., position: _Optional[str] = ..., complete: bool = ...) -> None: ...
