from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class OAuthTokenRequest(_message.Message):
    __slots__ = ("grant_type", "code", "redirect_uri", "code_verifier", "refresh_token", "scope", "client_id", "client_secret", "workspace_id", "authorization", "user_agent", "client_assertion_type", "client_assertion", "resource", "repeated_parameters", "subject_token", "subject_token_type", "actor_token", "actor_token_type", "requested_token_type", "delegation_id")
    GRANT_TYPE_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    REDIRECT_URI_FIELD_NUMBER: _ClassVar[int]
    CODE_VERIFIER_FIELD_NUMBER: _ClassVar[int]
    REFRESH_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_SECRET_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    AUTHORIZATION_FIELD_NUMBER: _ClassVar[int]
    USER_AGENT_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ASSERTION_TYPE_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ASSERTION_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    REPEATED_PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_TOKEN_TYPE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ACTOR_TOKEN_TYPE_FIELD_NUMBER: _ClassVar[int]
    REQUESTED_TOKEN_TYPE_FIELD_NUMBER: _ClassVar[int]
    DELEGATION_ID_FIELD_NUMBER: _ClassVar[int]
    grant_type: str
    code: str
    redirect_uri: str
    code_verifier: str
    refresh_token: str
    scope: str
    client_id: str
    client_secret: str
    workspace_id: str
    authorization: str
    user_agent: str
    client_assertion_type: str
    client_assertion: str
    resource: str
    repeated_parameters: _containers.RepeatedScalarFieldContainer[str]
    subject_token: str
    subject_token_type: str
    actor_token: str
    actor_token_type: str
    requested_token_type: str
    delegation_id: str
    def __init__(self, grant_type: _Optional[str] = ..., code: _Optional[str] = ..., redirect_uri: _Optional[str] = ..., code_verifier: _Optional[str] = ..., refresh_token: _Optional[str] = ..., scope: _Optional[str] = ..., client_id: _Optional[str] = ..., client_secret: _Optional[str] = ..., workspace_id: _Optional[str] = ..., authorization: _Optional[str] = ..., user_agent: _Optional[str] = ..., client_assertion_type: _Optional[str] = ..., client_assertion: _Optional[str] = ..., resource: _Optional[str] = ..., repeated_parameters: _Optional[_Iterable[str]] = ..., subject_token: _Optional[str] = ..., subject_token_type: _Optional[str] = ..., actor_token: _Optional[str] = ..., actor_token_type: _Optional[str] = ..., requested_token_type: _Optional[str] = ..., delegation_id: _Optional[str] = ...) -> None: ...

class OAuthTokenResponse(_message.Message):
    __slots__ = ("access_token", "token_type", "expires_in", "refresh_token", "refresh_expires_in", "scope", "workspace_id", "id_token", "issued_token_type")
    ACCESS_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOKEN_TYPE_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_IN_FIELD_NUMBER: _ClassVar[int]
    REFRESH_TOKEN_FIELD_NUMBER: _ClassVar[int]
    REFRESH_EXPIRES_IN_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    ID_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ISSUED_TOKEN_TYPE_FIELD_NUMBER: _ClassVar[int]
    access_token: str
    token_type: str
    expires_in: int
    refresh_token: str
    refresh_expires_in: int
    scope: str
    workspace_id: str
    id_token: str
    issued_token_type: str
    def __init__(self, access_token: _Optional[str] = ..., token_type: _Optional[str] = ..., expires_in: _Optional[int] = ..., refresh_token: _Optional[str] = ..., refresh_expires_in: _Optional[int] = ..., scope: _Optional[str] = ..., workspace_id: _Optional[str] = ..., id_token: _Optional[str] = ..., issued_token_type: _Optional[str] = ...) -> None: ...

class IntrospectTokenRequest(_message.Message):
    __slots__ = ("token", "token_type_hint", "client_id", "client_secret", "authorization", "client_assertion_type", "client_assertion")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOKEN_TYPE_HINT_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_SECRET_FIELD_NUMBER: _ClassVar[int]
    AUTHORIZATION_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ASSERTION_TYPE_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ASSERTION_FIELD_NUMBER: _ClassVar[int]
    token: str
    token_type_hint: str
    client_id: str
    client_secret: str
    authorization: str
    client_assertion_type: str
    client_assertion: str
    def __init__(self, token: _Optional[str] = ..., token_type_hint: _Optional[str] = ..., client_id: _Optional[str] = ..., client_secret: _Optional[str] = ..., authorization: _Optional[str] = ..., client_assertion_type: _Optional[str] = ..., client_assertion: _Optional[str] = ...) -> None: ...

class TokenIntrospection(_message.Message):
    __slots__ = ("active", "scope", "client_id", "username", "token_type", "exp", "iat", "sub", "aud", "iss", "jti", "wid", "wrole", "wslug", "guest", "auth_time", "auth_time_unconfirmed", "acr", "act", "delegation_id")
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    USERNAME_FIELD_NUMBER: _ClassVar[int]
    TOKEN_TYPE_FIELD_NUMBER: _ClassVar[int]
    EXP_FIELD_NUMBER: _ClassVar[int]
    IAT_FIELD_NUMBER: _ClassVar[int]
    SUB_FIELD_NUMBER: _ClassVar[int]
    AUD_FIELD_NUMBER: _ClassVar[int]
    ISS_FIELD_NUMBER: _ClassVar[int]
    JTI_FIELD_NUMBER: _ClassVar[int]
    WID_FIELD_NUMBER: _ClassVar[int]
    WROLE_FIELD_NUMBER: _ClassVar[int]
    WSLUG_FIELD_NUMBER: _ClassVar[int]
    GUEST_FIELD_NUMBER: _ClassVar[int]
    AUTH_TIME_FIELD_NUMBER: _ClassVar[int]
    AUTH_TIME_UNCONFIRMED_FIELD_NUMBER: _ClassVar[int]
    ACR_FIELD_NUMBER: _ClassVar[int]
    ACT_FIELD_NUMBER: _ClassVar[int]
    DELEGATION_ID_FIELD_NUMBER: _ClassVar[int]
    active: bool
    scope: str
    client_id: str
    username: str
    token_type: str
    exp: int
    iat: int
    sub: str
    aud: str
    iss: str
    jti: str
    wid: str
    wrole: str
    wslug: str
    guest: bool
    auth_time: int
    auth_time_unconfirmed: bool
    acr: str
    act: TokenActor
    delegation_id: str
    def __init__(self, active: bool = ..., scope: _Optional[str] = ..., client_id: _Optional[str] = ..., username: _Optional[str] = ..., token_type: _Optional[str] = ..., exp: _Optional[int] = ..., iat: _Optional[int] = ..., sub: _Optional[str] = ..., aud: _Optional[str] = ..., iss: _Optional[str] = ..., jti: _Optional[str] = ..., wid: _Optional[str] = ..., wrole: _Optional[str] = ..., wslug: _Optional[str] = ..., guest: bool = ..., auth_time: _Optional[int] = ..., auth_time_unconfirmed: bool = ..., acr: _Optional[str] = ..., act: _Optional[_Union[TokenActor, _Mapping]] = ..., delegation_id: _Optional[str] = ...) -> None: ...

class TokenActor(_message.Message):
    __slots__ = ("sub", "typ")
    SUB_FIELD_NUMBER: _ClassVar[int]
    TYP_FIELD_NUMBER: _ClassVar[int]
    sub: str
    typ: str
    def __init__(self, sub: _Optional[str] = ..., typ: _Optional[str] = ...) -> None: ...
