import datetime

from daikon.v1 import access_keys_pb2 as _access_keys_pb2
from daikon.v1 import acknowledgement_pb2 as _acknowledgement_pb2
from daikon.v1 import links_pb2 as _links_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PermissionCheck(_message.Message):
    __slots__ = ("service_name", "resource_type", "resource_id", "action")
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    service_name: str
    resource_type: str
    resource_id: str
    action: str
    def __init__(self, service_name: _Optional[str] = ..., resource_type: _Optional[str] = ..., resource_id: _Optional[str] = ..., action: _Optional[str] = ...) -> None: ...

class PermissionCheckRequest(_message.Message):
    __slots__ = ("checks", "context")
    CHECKS_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    checks: _containers.RepeatedCompositeFieldContainer[PermissionCheck]
    context: _struct_pb2.Struct
    def __init__(self, checks: _Optional[_Iterable[_Union[PermissionCheck, _Mapping]]] = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class PermissionCheckResult(_message.Message):
    __slots__ = ("service_name", "resource_type", "resource_id", "action", "allowed")
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_FIELD_NUMBER: _ClassVar[int]
    service_name: str
    resource_type: str
    resource_id: str
    action: str
    allowed: bool
    def __init__(self, service_name: _Optional[str] = ..., resource_type: _Optional[str] = ..., resource_id: _Optional[str] = ..., action: _Optional[str] = ..., allowed: bool = ...) -> None: ...

class PermissionCheckResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[PermissionCheckResult]
    def __init__(self, results: _Optional[_Iterable[_Union[PermissionCheckResult, _Mapping]]] = ...) -> None: ...

class CheckStreamRequest(_message.Message):
    __slots__ = ("correlation_id", "check", "context")
    CORRELATION_ID_FIELD_NUMBER: _ClassVar[int]
    CHECK_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    correlation_id: str
    check: PermissionCheck
    context: _struct_pb2.Struct
    def __init__(self, correlation_id: _Optional[str] = ..., check: _Optional[_Union[PermissionCheck, _Mapping]] = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class CheckStreamResponse(_message.Message):
    __slots__ = ("correlation_id", "allowed")
    CORRELATION_ID_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_FIELD_NUMBER: _ClassVar[int]
    correlation_id: str
    allowed: bool
    def __init__(self, correlation_id: _Optional[str] = ..., allowed: bool = ...) -> None: ...

class AccessibleResourcesRequest(_message.Message):
    __slots__ = ("service_name", "resource_type", "action", "workspace_id", "limit", "page_token", "context")
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    service_name: str
    resource_type: str
    action: str
    workspace_id: str
    limit: int
    page_token: str
    context: _struct_pb2.Struct
    def __init__(self, service_name: _Optional[str] = ..., resource_type: _Optional[str] = ..., action: _Optional[str] = ..., workspace_id: _Optional[str] = ..., limit: _Optional[int] = ..., page_token: _Optional[str] = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class AccessibleResourcesResponse(_message.Message):
    __slots__ = ("resource_ids", "has_full_access", "next_page_token")
    RESOURCE_IDS_FIELD_NUMBER: _ClassVar[int]
    HAS_FULL_ACCESS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    resource_ids: _containers.RepeatedScalarFieldContainer[str]
    has_full_access: bool
    next_page_token: str
    def __init__(self, resource_ids: _Optional[_Iterable[str]] = ..., has_full_access: bool = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RegisterResourceRequest(_message.Message):
    __slots__ = ("service_name", "resource_type", "resource_id", "workspace_id", "owner_id", "owner_email", "owner_external_id", "visibility", "external_id", "parent", "attributes", "display_name")
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    OWNER_ID_FIELD_NUMBER: _ClassVar[int]
    OWNER_EMAIL_FIELD_NUMBER: _ClassVar[int]
    OWNER_EXTERNAL_ID_FIELD_NUMBER: _ClassVar[int]
    VISIBILITY_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_ID_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    service_name: str
    resource_type: str
    resource_id: str
    workspace_id: str
    owner_id: str
    owner_email: str
    owner_external_id: str
    visibility: str
    external_id: str
    parent: ParentReference
    attributes: _struct_pb2.Struct
    display_name: str
    def __init__(self, service_name: _Optional[str] = ..., resource_type: _Optional[str] = ..., resource_id: _Optional[str] = ..., workspace_id: _Optional[str] = ..., owner_id: _Optional[str] = ..., owner_email: _Optional[str] = ..., owner_external_id: _Optional[str] = ..., visibility: _Optional[str] = ..., external_id: _Optional[str] = ..., parent: _Optional[_Union[ParentReference, _Mapping]] = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., display_name: _Optional[str] = ...) -> None: ...

class RegisterBatchRequest(_message.Message):
    __slots__ = ("resources",)
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    resources: _containers.RepeatedCompositeFieldContainer[RegisterResourceRequest]
    def __init__(self, resources: _Optional[_Iterable[_Union[RegisterResourceRequest, _Mapping]]] = ...) -> None: ...

class RegisterBatchResponse(_message.Message):
    __slots__ = ("resources", "position")
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    resources: _containers.RepeatedCompositeFieldContainer[ResourcePermissionResponse]
    position: str
    def __init__(self, resources: _Optional[_Iterable[_Union[ResourcePermissionResponse, _Mapping]]] = ..., position: _Optional[str] = ...) -> None: ...

class UpdateVisibilityRequest(_message.Message):
    __slots__ = ("permission_id", "visibility", "service_name", "resource_type", "resource_id", "context")
    PERMISSION_ID_FIELD_NUMBER: _ClassVar[int]
    VISIBILITY_FIELD_NUMBER: _ClassVar[int]
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    permission_id: str
    visibility: str
    service_name: str
    resource_type: str
    resource_id: str
    context: _struct_pb2.Struct
    def __init__(self, permission_id: _Optional[str] = ..., visibility: _Optional[str] = ..., service_name: _Optional[str] = ..., resource_type: _Optional[str] = ..., resource_id: _Optional[str] = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class UpdateResourceRequest(_message.Message):
    __slots__ = ("permission_id", "display_name", "remove_display_name", "service_name", "resource_type", "resource_id", "context")
    PERMISSION_ID_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    REMOVE_DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    permission_id: str
    display_name: str
    remove_display_name: bool
    service_name: str
    resource_type: str
    resource_id: str
    context: _struct_pb2.Struct
    def __init__(self, permission_id: _Optional[str] = ..., display_name: _Optional[str] = ..., remove_display_name: bool = ..., service_name: _Optional[str] = ..., resource_type: _Optional[str] = ..., resource_id: _Optional[str] = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class ParentReference(_message.Message):
    __slots__ = ("resource_type", "resource_id", "external_id")
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_ID_FIELD_NUMBER: _ClassVar[int]
    resource_type: str
    resource_id: str
    external_id: str
    def __init__(self, resource_type: _Optional[str] = ..., resource_id: _Optional[str] = ..., external_id: _Optional[str] = ...) -> None: ...

class ParentResource(_message.Message):
    __slots__ = ("resource_type", "resource_id", "external_id")
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_ID_FIELD_NUMBER: _ClassVar[int]
    resource_type: str
    resource_id: str
    external_id: str
    def __init__(self, resource_type: _Optional[str] = ..., resource_id: _Optional[str] = ..., external_id: _Optional[str] = ...) -> None: ...

class UpdateParentRequest(_message.Message):
    __slots__ = ("permission_id", "parent", "inherits", "detach", "service_name", "resource_type", "resource_id", "context")
    PERMISSION_ID_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    INHERITS_FIELD_NUMBER: _ClassVar[int]
    DETACH_FIELD_NUMBER: _ClassVar[int]
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    permission_id: str
    parent: ParentReference
    inherits: bool
    detach: bool
    service_name: str
    resource_type: str
    resource_id: str
    context: _struct_pb2.Struct
    def __init__(self, permission_id: _Optional[str] = ..., parent: _Optional[_Union[ParentReference, _Mapping]] = ..., inherits: bool = ..., detach: bool = ..., service_name: _Optional[str] = ..., resource_type: _Optional[str] = ..., resource_id: _Optional[str] = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class UpdateAttributesRequest(_message.Message):
    __slots__ = ("permission_id", "attributes", "service_name", "resource_type", "resource_id", "context")
    PERMISSION_ID_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    permission_id: str
    attributes: _struct_pb2.Struct
    service_name: str
    resource_type: str
    resource_id: str
    context: _struct_pb2.Struct
    def __init__(self, permission_id: _Optional[str] = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., service_name: _Optional[str] = ..., resource_type: _Optional[str] = ..., resource_id: _Optional[str] = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class ShareRequest(_message.Message):
    __slots__ = ("permission_id", "grantee_type", "grantee_id", "grantee_email", "grantee_external_id", "group_name", "permission", "role", "expires_at", "service_name", "resource_type", "resource_id", "condition", "context")
    PERMISSION_ID_FIELD_NUMBER: _ClassVar[int]
    GRANTEE_TYPE_FIELD_NUMBER: _ClassVar[int]
    GRANTEE_ID_FIELD_NUMBER: _ClassVar[int]
    GRANTEE_EMAIL_FIELD_NUMBER: _ClassVar[int]
    GRANTEE_EXTERNAL_ID_FIELD_NUMBER: _ClassVar[int]
    GROUP_NAME_FIELD_NUMBER: _ClassVar[int]
    PERMISSION_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    CONDITION_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    permission_id: str
    grantee_type: str
    grantee_id: str
    grantee_email: str
    grantee_external_id: str
    group_name: str
    permission: str
    role: str
    expires_at: _timestamp_pb2.Timestamp
    service_name: str
    resource_type: str
    resource_id: str
    condition: ShareCondition
    context: _struct_pb2.Struct
    def __init__(self, permission_id: _Optional[str] = ..., grantee_type: _Optional[str] = ..., grantee_id: _Optional[str] = ..., grantee_email: _Optional[str] = ..., grantee_external_id: _Optional[str] = ..., group_name: _Optional[str] = ..., permission: _Optional[str] = ..., role: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., service_name: _Optional[str] = ..., resource_type: _Optional[str] = ..., resource_id: _Optional[str] = ..., condition: _Optional[_Union[ShareCondition, _Mapping]] = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class ShareItem(_message.Message):
    __slots__ = ("permission_id", "service_name", "resource_type", "resource_id", "external_id", "grantee_type", "grantee_id", "grantee_email", "grantee_external_id", "group_name", "permission", "role", "condition", "expires_at")
    PERMISSION_ID_FIELD_NUMBER: _ClassVar[int]
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_ID_FIELD_NUMBER: _ClassVar[int]
    GRANTEE_TYPE_FIELD_NUMBER: _ClassVar[int]
    GRANTEE_ID_FIELD_NUMBER: _ClassVar[int]
    GRANTEE_EMAIL_FIELD_NUMBER: _ClassVar[int]
    GRANTEE_EXTERNAL_ID_FIELD_NUMBER: _ClassVar[int]
    GROUP_NAME_FIELD_NUMBER: _ClassVar[int]
    PERMISSION_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    CONDITION_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    permission_id: str
    service_name: str
    resource_type: str
    resource_id: str
    external_id: str
    grantee_type: str
    grantee_id: str
    grantee_email: str
    grantee_external_id: str
    group_name: str
    permission: str
    role: str
    condition: ShareCondition
    expires_at: _timestamp_pb2.Timestamp
    def __init__(self, permission_id: _Optional[str] = ..., service_name: _Optional[str] = ..., resource_type: _Optional[str] = ..., resource_id: _Optional[str] = ..., external_id: _Optional[str] = ..., grantee_type: _Optional[str] = ..., grantee_id: _Optional[str] = ..., grantee_email: _Optional[str] = ..., grantee_external_id: _Optional[str] = ..., group_name: _Optional[str] = ..., permission: _Optional[str] = ..., role: _Optional[str] = ..., condition: _Optional[_Union[ShareCondition, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ShareBatchRequest(_message.Message):
    __slots__ = ("shares", "context")
    SHARES_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    shares: _containers.RepeatedCompositeFieldContainer[ShareItem]
    context: _struct_pb2.Struct
    def __init__(self, shares: _Optional[_Iterable[_Union[ShareItem, _Mapping]]] = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class ShareBatchResponse(_message.Message):
    __slots__ = ("shares", "position")
    SHARES_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    shares: _containers.RepeatedCompositeFieldContainer[ShareResponse]
    position: str
    def __init__(self, shares: _Optional[_Iterable[_Union[ShareResponse, _Mapping]]] = ..., position: _Optional[str] = ...) -> None: ...

class TransferOwnershipRequest(_message.Message):
    __slots__ = ("permission_id", "owner_id", "service_name", "resource_type", "resource_id", "context")
    PERMISSION_ID_FIELD_NUMBER: _ClassVar[int]
    OWNER_ID_FIELD_NUMBER: _ClassVar[int]
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    permission_id: str
    owner_id: str
    service_name: str
    resource_type: str
    resource_id: str
    context: _struct_pb2.Struct
    def __init__(self, permission_id: _Optional[str] = ..., owner_id: _Optional[str] = ..., service_name: _Optional[str] = ..., resource_type: _Optional[str] = ..., resource_id: _Optional[str] = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class GetResourceRequest(_message.Message):
    __slots__ = ("service_name", "resource_type", "resource_id", "with_names", "with_ancestors")
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    WITH_NAMES_FIELD_NUMBER: _ClassVar[int]
    WITH_ANCESTORS_FIELD_NUMBER: _ClassVar[int]
    service_name: str
    resource_type: str
    resource_id: str
    with_names: bool
    with_ancestors: bool
    def __init__(self, service_name: _Optional[str] = ..., resource_type: _Optional[str] = ..., resource_id: _Optional[str] = ..., with_names: bool = ..., with_ancestors: bool = ...) -> None: ...

class UnregisterRequest(_message.Message):
    __slots__ = ("permission_id", "service_name", "resource_type", "resource_id", "cascade", "context")
    PERMISSION_ID_FIELD_NUMBER: _ClassVar[int]
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    CASCADE_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    permission_id: str
    service_name: str
    resource_type: str
    resource_id: str
    cascade: bool
    context: _struct_pb2.Struct
    def __init__(self, permission_id: _Optional[str] = ..., service_name: _Optional[str] = ..., resource_type: _Optional[str] = ..., resource_id: _Optional[str] = ..., cascade: bool = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class UnregisterResponse(_message.Message):
    __slots__ = ("position",)
    POSITION_FIELD_NUMBER: _ClassVar[int]
    position: str
    def __init__(self, position: _Optional[str] = ...) -> None: ...

class ResourcePermissionResponse(_message.Message):
    __slots__ = ("id", "service_name", "resource_type", "resource_id", "workspace_id", "owner_id", "visibility", "created_at", "shares", "external_id", "parent", "inherits", "attributes", "display_name", "owner_name", "owner_email", "ancestors", "position")
    ID_FIELD_NUMBER: _ClassVar[int]
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    OWNER_ID_FIELD_NUMBER: _ClassVar[int]
    VISIBILITY_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    SHARES_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_ID_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    INHERITS_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    OWNER_NAME_FIELD_NUMBER: _ClassVar[int]
    OWNER_EMAIL_FIELD_NUMBER: _ClassVar[int]
    ANCESTORS_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    id: str
    service_name: str
    resource_type: str
    resource_id: str
    workspace_id: str
    owner_id: str
    visibility: str
    created_at: _timestamp_pb2.Timestamp
    shares: _containers.RepeatedCompositeFieldContainer[ShareResponse]
    external_id: str
    parent: ParentResource
    inherits: bool
    attributes: _struct_pb2.Struct
    display_name: str
    owner_name: str
    owner_email: str
    ancestors: _containers.RepeatedCompositeFieldContainer[InheritedGrants]
    position: str
    def __init__(self, id: _Optional[str] = ..., service_name: _Optional[str] = ..., resource_type: _Optional[str] = ..., resource_id: _Optional[str] = ..., workspace_id: _Optional[str] = ..., owner_id: _Optional[str] = ..., visibility: _Optional[str] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., shares: _Optional[_Iterable[_Union[ShareResponse, _Mapping]]] = ..., external_id: _Optional[str] = ..., parent: _Optional[_Union[ParentResource, _Mapping]] = ..., inherits: bool = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., display_name: _Optional[str] = ..., owner_name: _Optional[str] = ..., owner_email: _Optional[str] = ..., ancestors: _Optional[_Iterable[_Union[InheritedGrants, _Mapping]]] = ..., position: _Optional[str] = ...) -> None: ...

class InheritedGrants(_message.Message):
    __slots__ = ("permission_id", "resource_type", "resource_id", "external_id", "display_name", "owner_id", "owner_name", "owner_email", "visibility", "shares")
    PERMISSION_ID_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_ID_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    OWNER_ID_FIELD_NUMBER: _ClassVar[int]
    OWNER_NAME_FIELD_NUMBER: _ClassVar[int]
    OWNER_EMAIL_FIELD_NUMBER: _ClassVar[int]
    VISIBILITY_FIELD_NUMBER: _ClassVar[int]
    SHARES_FIELD_NUMBER: _ClassVar[int]
    permission_id: str
    resource_type: str
    resource_id: str
    external_id: str
    display_name: str
    owner_id: str
    owner_name: str
    owner_email: str
    visibility: str
    shares: _containers.RepeatedCompositeFieldContainer[ShareResponse]
    def __init__(self, permission_id: _Optional[str] = ..., resource_type: _Optional[str] = ..., resource_id: _Optional[str] = ..., external_id: _Optional[str] = ..., display_name: _Optional[str] = ..., owner_id: _Optional[str] = ..., owner_name: _Optional[str] = ..., owner_email: _Optional[str] = ..., visibility: _Optional[str] = ..., shares: _Optional[_Iterable[_Union[ShareResponse, _Mapping]]] = ...) -> None: ...

class ShareCondition(_message.Message):
    __slots__ = ("name", "params")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PARAMS_FIELD_NUMBER: _ClassVar[int]
    name: str
    params: _struct_pb2.Struct
    def __init__(self, name: _Optional[str] = ..., params: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class ShareResponse(_message.Message):
    __slots__ = ("id", "grantee_type", "grantee_id", "permission", "role", "granted_by", "granted_at", "expires_at", "condition", "grantee_name", "grantee_email", "position")
    ID_FIELD_NUMBER: _ClassVar[int]
    GRANTEE_TYPE_FIELD_NUMBER: _ClassVar[int]
    GRANTEE_ID_FIELD_NUMBER: _ClassVar[int]
    PERMISSION_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    GRANTED_BY_FIELD_NUMBER: _ClassVar[int]
    GRANTED_AT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    CONDITION_FIELD_NUMBER: _ClassVar[int]
    GRANTEE_NAME_FIELD_NUMBER: _ClassVar[int]
    GRANTEE_EMAIL_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    id: str
    grantee_type: str
    grantee_id: str
    permission: str
    role: str
    granted_by: str
    granted_at: _timestamp_pb2.Timestamp
    expires_at: _timestamp_pb2.Timestamp
    condition: ShareCondition
    grantee_name: str
    grantee_email: str
    position: str
    def __init__(self, id: _Optional[str] = ..., grantee_type: _Optional[str] = ..., grantee_id: _Optional[str] = ..., permission: _Optional[str] = ..., role: _Optional[str] = ..., granted_by: _Optional[str] = ..., granted_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., condition: _Optional[_Union[ShareCondition, _Mapping]] = ..., grantee_name: _Optional[str] = ..., grantee_email: _Optional[str] = ..., position: _Optional[str] = ...) -> None: ...

class RegisterActionsRequest(_message.Message):
    __slots__ = ("service_name", "actions")
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    service_name: str
    actions: _containers.RepeatedCompositeFieldContainer[ActionRegistration]
    def __init__(self, service_name: _Optional[str] = ..., actions: _Optional[_Iterable[_Union[ActionRegistration, _Mapping]]] = ...) -> None: ...

class ActionRegistration(_message.Message):
    __slots__ = ("name", "description")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...

class ServiceActions(_message.Message):
    __slots__ = ("service_name", "actions")
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    service_name: str
    actions: _containers.RepeatedCompositeFieldContainer[ServiceAction]
    def __init__(self, service_name: _Optional[str] = ..., actions: _Optional[_Iterable[_Union[ServiceAction, _Mapping]]] = ...) -> None: ...

class ServiceAction(_message.Message):
    __slots__ = ("id", "name", "description", "registered_at")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    REGISTERED_AT_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    description: str
    registered_at: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., registered_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class PutResourceTypeRequest(_message.Message):
    __slots__ = ("service_name", "resource_type", "description", "roles", "dry_run", "allow_public", "conditions", "requirements")
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    ROLES_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    ALLOW_PUBLIC_FIELD_NUMBER: _ClassVar[int]
    CONDITIONS_FIELD_NUMBER: _ClassVar[int]
    REQUIREMENTS_FIELD_NUMBER: _ClassVar[int]
    service_name: str
    resource_type: str
    description: str
    roles: _containers.RepeatedCompositeFieldContainer[ResourceRoleDeclaration]
    dry_run: bool
    allow_public: bool
    conditions: _containers.RepeatedCompositeFieldContainer[ConditionDeclaration]
    requirements: _containers.RepeatedCompositeFieldContainer[ActionRequirement]
    def __init__(self, service_name: _Optional[str] = ..., resource_type: _Optional[str] = ..., description: _Optional[str] = ..., roles: _Optional[_Iterable[_Union[ResourceRoleDeclaration, _Mapping]]] = ..., dry_run: bool = ..., allow_public: bool = ..., conditions: _Optional[_Iterable[_Union[ConditionDeclaration, _Mapping]]] = ..., requirements: _Optional[_Iterable[_Union[ActionRequirement, _Mapping]]] = ...) -> None: ...

class ResourceRoleDeclaration(_message.Message):
    __slots__ = ("name", "description", "actions")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    actions: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., actions: _Optional[_Iterable[str]] = ...) -> None: ...

class ActionRequirement(_message.Message):
    __slots__ = ("action", "condition", "inherited")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    CONDITION_FIELD_NUMBER: _ClassVar[int]
    INHERITED_FIELD_NUMBER: _ClassVar[int]
    action: str
    condition: str
    inherited: bool
    def __init__(self, action: _Optional[str] = ..., condition: _Optional[str] = ..., inherited: bool = ...) -> None: ...

class ConditionDeclaration(_message.Message):
    __slots__ = ("name", "description", "expression", "parameters")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    EXPRESSION_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    expression: str
    parameters: _struct_pb2.Struct
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., expression: _Optional[str] = ..., parameters: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class ResourceType(_message.Message):
    __slots__ = ("service_name", "resource_type", "description", "roles", "roles_used", "resources", "allow_public", "conditions", "conditions_used", "requirements", "resources_below")
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    ROLES_FIELD_NUMBER: _ClassVar[int]
    ROLES_USED_FIELD_NUMBER: _ClassVar[int]
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    ALLOW_PUBLIC_FIELD_NUMBER: _ClassVar[int]
    CONDITIONS_FIELD_NUMBER: _ClassVar[int]
    CONDITIONS_USED_FIELD_NUMBER: _ClassVar[int]
    REQUIREMENTS_FIELD_NUMBER: _ClassVar[int]
    RESOURCES_BELOW_FIELD_NUMBER: _ClassVar[int]
    service_name: str
    resource_type: str
    description: str
    roles: _containers.RepeatedCompositeFieldContainer[ResourceRole]
    roles_used: _struct_pb2.Struct
    resources: int
    allow_public: bool
    conditions: _containers.RepeatedCompositeFieldContainer[ResourceCondition]
    conditions_used: _struct_pb2.Struct
    requirements: _containers.RepeatedCompositeFieldContainer[ActionRequirement]
    resources_below: int
    def __init__(self, service_name: _Optional[str] = ..., resource_type: _Optional[str] = ..., description: _Optional[str] = ..., roles: _Optional[_Iterable[_Union[ResourceRole, _Mapping]]] = ..., roles_used: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., resources: _Optional[int] = ..., allow_public: bool = ..., conditions: _Optional[_Iterable[_Union[ResourceCondition, _Mapping]]] = ..., conditions_used: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., requirements: _Optional[_Iterable[_Union[ActionRequirement, _Mapping]]] = ..., resources_below: _Optional[int] = ...) -> None: ...

class ResourceCondition(_message.Message):
    __slots__ = ("name", "description", "expression", "parameters")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    EXPRESSION_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    expression: str
    parameters: _struct_pb2.Struct
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., expression: _Optional[str] = ..., parameters: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class ResourceRole(_message.Message):
    __slots__ = ("name", "description", "actions")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    actions: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., actions: _Optional[_Iterable[str]] = ...) -> None: ...

class ListResourceTypesRequest(_message.Message):
    __slots__ = ("service_name",)
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    service_name: str
    def __init__(self, service_name: _Optional[str] = ...) -> None: ...

class ListResourceTypesResponse(_message.Message):
    __slots__ = ("types",)
    TYPES_FIELD_NUMBER: _ClassVar[int]
    types: _containers.RepeatedCompositeFieldContainer[ResourceType]
    def __init__(self, types: _Optional[_Iterable[_Union[ResourceType, _Mapping]]] = ...) -> None: ...

class DeleteResourceTypeRequest(_message.Message):
    __slots__ = ("resource_type", "service_name")
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    resource_type: str
    service_name: str
    def __init__(self, resource_type: _Optional[str] = ..., service_name: _Optional[str] = ...) -> None: ...

class DeleteResourceTypeResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListGrantedActionsRequest(_message.Message):
    __slots__ = ("service_name",)
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    service_name: str
    def __init__(self, service_name: _Optional[str] = ...) -> None: ...

class ListGrantedActionsResponse(_message.Message):
    __slots__ = ("service_name", "actions")
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    service_name: str
    actions: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, service_name: _Optional[str] = ..., actions: _Optional[_Iterable[str]] = ...) -> None: ...

class PutRoutesRequest(_message.Message):
    __slots__ = ("service_name", "routes")
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    ROUTES_FIELD_NUMBER: _ClassVar[int]
    service_name: str
    routes: _containers.RepeatedCompositeFieldContainer[Route]
    def __init__(self, service_name: _Optional[str] = ..., routes: _Optional[_Iterable[_Union[Route, _Mapping]]] = ...) -> None: ...

class ListRoutesRequest(_message.Message):
    __slots__ = ("service_name",)
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    service_name: str
    def __init__(self, service_name: _Optional[str] = ...) -> None: ...

class ServiceRoutes(_message.Message):
    __slots__ = ("service_name", "routes", "warnings")
    SERVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    ROUTES_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    service_name: str
    routes: _containers.RepeatedCompositeFieldContainer[Route]
    warnings: _containers.RepeatedCompositeFieldContainer[RouteWarning]
    def __init__(self, service_name: _Optional[str] = ..., routes: _Optional[_Iterable[_Union[Route, _Mapping]]] = ..., warnings: _Optional[_Iterable[_Union[RouteWarning, _Mapping]]] = ...) -> None: ...

class RouteWarning(_message.Message):
    __slots__ = ("field", "message")
    FIELD_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    field: str
    message: str
    def __init__(self, field: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class Route(_message.Message):
    __slots__ = ("methods", "path", "allow", "action", "resource_type", "resource_id")
    METHODS_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    ALLOW_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    methods: _containers.RepeatedScalarFieldContainer[str]
    path: str
    allow: str
    action: str
    resource_type: str
    resource_id: str
    def __init__(self, methods: _Optional[_Iterable[str]] = ..., path: _Optional[str] = ..., allow: _Optional[str] = ..., action: _Optional[str] = ..., resource_type: _Optional[str] = ..., resource_id: _Optional[str] = ...) -> None: ...
