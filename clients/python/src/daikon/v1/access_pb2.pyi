from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AccessSubject(_message.Message):
    __slots__ = ("type", "id", "properties")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    type: str
    id: str
    properties: _struct_pb2.Struct
    def __init__(self, type: _Optional[str] = ..., id: _Optional[str] = ..., properties: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class AccessAction(_message.Message):
    __slots__ = ("name", "properties")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    name: str
    properties: _struct_pb2.Struct
    def __init__(self, name: _Optional[str] = ..., properties: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class AccessResource(_message.Message):
    __slots__ = ("type", "id", "properties")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    type: str
    id: str
    properties: _struct_pb2.Struct
    def __init__(self, type: _Optional[str] = ..., id: _Optional[str] = ..., properties: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class EvaluateRequest(_message.Message):
    __slots__ = ("subject", "action", "resource", "context")
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    subject: AccessSubject
    action: AccessAction
    resource: AccessResource
    context: _struct_pb2.Struct
    def __init__(self, subject: _Optional[_Union[AccessSubject, _Mapping]] = ..., action: _Optional[_Union[AccessAction, _Mapping]] = ..., resource: _Optional[_Union[AccessResource, _Mapping]] = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class Evaluation(_message.Message):
    __slots__ = ("decision", "context")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    decision: bool
    context: _struct_pb2.Struct
    def __init__(self, decision: bool = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class EvaluationItem(_message.Message):
    __slots__ = ("subject", "action", "resource", "context")
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    subject: AccessSubject
    action: AccessAction
    resource: AccessResource
    context: _struct_pb2.Struct
    def __init__(self, subject: _Optional[_Union[AccessSubject, _Mapping]] = ..., action: _Optional[_Union[AccessAction, _Mapping]] = ..., resource: _Optional[_Union[AccessResource, _Mapping]] = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class EvaluateBatchRequest(_message.Message):
    __slots__ = ("subject", "action", "resource", "context", "evaluations", "options")
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    EVALUATIONS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    subject: AccessSubject
    action: AccessAction
    resource: AccessResource
    context: _struct_pb2.Struct
    evaluations: _containers.RepeatedCompositeFieldContainer[EvaluationItem]
    options: EvaluationOptions
    def __init__(self, subject: _Optional[_Union[AccessSubject, _Mapping]] = ..., action: _Optional[_Union[AccessAction, _Mapping]] = ..., resource: _Optional[_Union[AccessResource, _Mapping]] = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., evaluations: _Optional[_Iterable[_Union[EvaluationItem, _Mapping]]] = ..., options: _Optional[_Union[EvaluationOptions, _Mapping]] = ...) -> None: ...

class EvaluationOptions(_message.Message):
    __slots__ = ("evaluations_semantic",)
    EVALUATIONS_SEMANTIC_FIELD_NUMBER: _ClassVar[int]
    evaluations_semantic: str
    def __init__(self, evaluations_semantic: _Optional[str] = ...) -> None: ...

class EvaluateBatchResponse(_message.Message):
    __slots__ = ("decision", "context", "evaluations")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    EVALUATIONS_FIELD_NUMBER: _ClassVar[int]
    decision: bool
    context: _struct_pb2.Struct
    evaluations: _containers.RepeatedCompositeFieldContainer[Evaluation]
    def __init__(self, decision: bool = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., evaluations: _Optional[_Iterable[_Union[Evaluation, _Mapping]]] = ...) -> None: ...

class SearchPage(_message.Message):
    __slots__ = ("token", "limit")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    token: str
    limit: int
    def __init__(self, token: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class SearchPageInfo(_message.Message):
    __slots__ = ("next_token", "count")
    NEXT_TOKEN_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    next_token: str
    count: int
    def __init__(self, next_token: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class SubjectSearch(_message.Message):
    __slots__ = ("type", "properties")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    type: str
    properties: _struct_pb2.Struct
    def __init__(self, type: _Optional[str] = ..., properties: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class ResourceSearch(_message.Message):
    __slots__ = ("type", "properties")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    type: str
    properties: _struct_pb2.Struct
    def __init__(self, type: _Optional[str] = ..., properties: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class SearchSubjectsRequest(_message.Message):
    __slots__ = ("subject", "action", "resource", "context", "page")
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    subject: SubjectSearch
    action: AccessAction
    resource: AccessResource
    context: _struct_pb2.Struct
    page: SearchPage
    def __init__(self, subject: _Optional[_Union[SubjectSearch, _Mapping]] = ..., action: _Optional[_Union[AccessAction, _Mapping]] = ..., resource: _Optional[_Union[AccessResource, _Mapping]] = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., page: _Optional[_Union[SearchPage, _Mapping]] = ...) -> None: ...

class SearchResourcesRequest(_message.Message):
    __slots__ = ("subject", "action", "resource", "context", "page")
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    subject: AccessSubject
    action: AccessAction
    resource: ResourceSearch
    context: _struct_pb2.Struct
    page: SearchPage
    def __init__(self, subject: _Optional[_Union[AccessSubject, _Mapping]] = ..., action: _Optional[_Union[AccessAction, _Mapping]] = ..., resource: _Optional[_Union[ResourceSearch, _Mapping]] = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., page: _Optional[_Union[SearchPage, _Mapping]] = ...) -> None: ...

class SearchActionsRequest(_message.Message):
    __slots__ = ("subject", "resource", "context", "page")
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    subject: AccessSubject
    resource: AccessResource
    context: _struct_pb2.Struct
    page: SearchPage
    def __init__(self, subject: _Optional[_Union[AccessSubject, _Mapping]] = ..., resource: _Optional[_Union[AccessResource, _Mapping]] = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., page: _Optional[_Union[SearchPage, _Mapping]] = ...) -> None: ...

class AccessEntity(_message.Message):
    __slots__ = ("type", "id", "properties")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    type: str
    id: str
    properties: _struct_pb2.Struct
    def __init__(self, type: _Optional[str] = ..., id: _Optional[str] = ..., properties: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class AllowedAction(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class SearchSubjectsResponse(_message.Message):
    __slots__ = ("page", "results")
    PAGE_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    page: SearchPageInfo
    results: _containers.RepeatedCompositeFieldContainer[AccessEntity]
    def __init__(self, page: _Optional[_Union[SearchPageInfo, _Mapping]] = ..., results: _Optional[_Iterable[_Union[AccessEntity, _Mapping]]] = ...) -> None: ...

class SearchResourcesResponse(_message.Message):
    __slots__ = ("page", "results", "context")
    PAGE_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    page: SearchPageInfo
    results: _containers.RepeatedCompositeFieldContainer[AccessEntity]
    context: _struct_pb2.Struct
    def __init__(self, page: _Optional[_Union[SearchPageInfo, _Mapping]] = ..., results: _Optional[_Iterable[_Union[AccessEntity, _Mapping]]] = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class SearchActionsResponse(_message.Message):
    __slots__ = ("page", "results", "context")
    PAGE_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    page: SearchPageInfo
    results: _containers.RepeatedCompositeFieldContainer[AllowedAction]
    context: _struct_pb2.Struct
    def __init__(self, page: _Optional[_Union[SearchPageInfo, _Mapping]] = ..., results: _Optional[_Iterable[_Union[AllowedAction, _Mapping]]] = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class GetAccessConfigurationRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class AccessConfiguration(_message.Message):
    __slots__ = ("policy_decision_point", "access_evaluation_endpoint", "access_evaluations_endpoint", "search_subject_endpoint", "search_resource_endpoint", "search_action_endpoint")
    POLICY_DECISION_POINT_FIELD_NUMBER: _ClassVar[int]
    ACCESS_EVALUATION_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    ACCESS_EVALUATIONS_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    SEARCH_SUBJECT_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    SEARCH_RESOURCE_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    SEARCH_ACTION_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    policy_decision_point: str
    access_evaluation_endpoint: str
    access_evaluations_endpoint: str
    search_subject_endpoint: str
    search_resource_endpoint: str
    search_action_endpoint: str
    def __init__(self, policy_decision_point: _Optional[str] = ..., access_evaluation_endpoint: _Optional[str] = ..., access_evaluations_endpoint: _Optional[str] = ..., search_subject_endpoint: _Optional[str] = ..., search_resource_endpoint: _Optional[str] = ..., search_action_endpoint: _Optional[str] = ...) -> None: ...

class AuthorizeActionRequest(_message.Message):
    __slots__ = ("action", "resource_type", "resource_id")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    action: str
    resource_type: str
    resource_id: str
    def __init__(self, action: _Optional[str] = ..., resource_type: _Optional[str] = ..., resource_id: _Optional[str] = ...) -> None: ...

class AuthorizeForwardedRequest(_message.Message):
    __slots__ = ("method", "uri")
    METHOD_FIELD_NUMBER: _ClassVar[int]
    URI_FIELD_NUMBER: _ClassVar[int]
    method: str
    uri: str
    def __init__(self, method: _Optional[str] = ..., uri: _Optional[str] = ...) -> None: ...

class AuthorizedUser(_message.Message):
    __slots__ = ("user_id", "email", "workspace_id", "role", "agent", "delegation_id")
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    EMAIL_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    DELEGATION_ID_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    email: str
    workspace_id: str
    role: str
    agent: str
    delegation_id: str
    def __init__(self, user_id: _Optional[str] = ..., email: _Optional[str] = ..., workspace_id: _Optional[str] = ..., role: _Optional[str] = ..., agent: _Optional[str] = ..., delegation_id: _Optional[str] = ...) -> None: ...
