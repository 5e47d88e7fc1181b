from daikon.v1 import acknowledgement_pb2 as _acknowledgement_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class BeginLoginRequest(_message.Message):
    __slots__ = ("provider", "redirect_uri", "code_challenge", "code_challenge_method", "state")
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    REDIRECT_URI_FIELD_NUMBER: _ClassVar[int]
    CODE_CHALLENGE_FIELD_NUMBER: _ClassVar[int]
    CODE_CHALLENGE_METHOD_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    provider: str
    redirect_uri: str
    code_challenge: str
    code_challenge_method: str
    state: str
    def __init__(self, provider: _Optional[str] = ..., redirect_uri: _Optional[str] = ..., code_challenge: _Optional[str] = ..., code_challenge_method: _Optional[str] = ..., state: _Optional[str] = ...) -> None: ...

class BeginAdminLoginRequest(_message.Message):
    __slots__ = ("provider",)
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    provider: str
    def __init__(self, provider: _Optional[str] = ...) -> None: ...

class BeginLoginResponse(_message.Message):
    __slots__ = ("location", "state", "login_state")
    LOCATION_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    LOGIN_STATE_FIELD_NUMBER: _ClassVar[int]
    location: str
    state: str
    login_state: str
    def __init__(self, location: _Optional[str] = ..., state: _Optional[str] = ..., login_state: _Optional[str] = ...) -> None: ...

class CompleteLoginRequest(_message.Message):
    __slots__ = ("provider", "state", "code", "error", "error_description", "iss", "login_state")
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    ERROR_DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    ISS_FIELD_NUMBER: _ClassVar[int]
    LOGIN_STATE_FIELD_NUMBER: _ClassVar[int]
    provider: str
    state: str
    code: str
    error: str
    error_description: str
    iss: str
    login_state: str
    def __init__(self, provider: _Optional[str] = ..., state: _Optional[str] = ..., code: _Optional[str] = ..., error: _Optional[str] = ..., error_description: _Optional[str] = ..., iss: _Optional[str] = ..., login_state: _Optional[str] = ...) -> None: ...

class CompleteLoginResponse(_message.Message):
    __slots__ = ("location", "state", "login_state", "browser_session", "browser_session_seconds")
    LOCATION_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    LOGIN_STATE_FIELD_NUMBER: _ClassVar[int]
    BROWSER_SESSION_FIELD_NUMBER: _ClassVar[int]
    BROWSER_SESSION_SECONDS_FIELD_NUMBER: _ClassVar[int]
    location: str
    state: str
    login_state: str
    browser_session: str
    browser_session_seconds: int
    def __init__(self, location: _Optional[str] = ..., state: _Optional[str] = ..., login_state: _Optional[str] = ..., browser_session: _Optional[str] = ..., browser_session_seconds: _Optional[int] = ...) -> None: ...

class CompleteAdminLoginResponse(_message.Message):
    __slots__ = ("location", "state", "login_state", "admin_token")
    LOCATION_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    LOGIN_STATE_FIELD_NUMBER: _ClassVar[int]
    ADMIN_TOKEN_FIELD_NUMBER: _ClassVar[int]
    location: str
    state: str
    login_state: str
    admin_token: str
    def __init__(self, location: _Optional[str] = ..., state: _Optional[str] = ..., login_state: _Optional[str] = ..., admin_token: _Optional[str] = ...) -> None: ...

class ListCodeWorkspacesRequest(_message.Message):
    __slots__ = ("code",)
    CODE_FIELD_NUMBER: _ClassVar[int]
    code: str
    def __init__(self, code: _Optional[str] = ...) -> None: ...

class CodeWorkspace(_message.Message):
    __slots__ = ("id", "name", "slug", "role")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SLUG_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    slug: str
    role: str
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., slug: _Optional[str] = ..., role: _Optional[str] = ...) -> None: ...

class ListCodeWorkspacesResponse(_message.Message):
    __slots__ = ("workspaces",)
    WORKSPACES_FIELD_NUMBER: _ClassVar[int]
    workspaces: _containers.RepeatedCompositeFieldContainer[CodeWorkspace]
    def __init__(self, workspaces: _Optional[_Iterable[_Union[CodeWorkspace, _Mapping]]] = ...) -> None: ...

class ExchangeTokenRequest(_message.Message):
    __slots__ = ("code", "workspace_id", "code_verifier", "user_agent")
    CODE_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    CODE_VERIFIER_FIELD_NUMBER: _ClassVar[int]
    USER_AGENT_FIELD_NUMBER: _ClassVar[int]
    code: str
    workspace_id: str
    code_verifier: str
    user_agent: str
    def __init__(self, code: _Optional[str] = ..., workspace_id: _Optional[str] = ..., code_verifier: _Optional[str] = ..., user_agent: _Optional[str] = ...) -> None: ...

class RefreshTokenRequest(_message.Message):
    __slots__ = ("refresh_token",)
    REFRESH_TOKEN_FIELD_NUMBER: _ClassVar[int]
    refresh_token: str
    def __init__(self, refresh_token: _Optional[str] = ...) -> None: ...

class SwitchWorkspaceRequest(_message.Message):
    __slots__ = ("refresh_token", "workspace_id")
    REFRESH_TOKEN_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    refresh_token: str
    workspace_id: str
    def __init__(self, refresh_token: _Optional[str] = ..., workspace_id: _Optional[str] = ...) -> None: ...

class TokenResponse(_message.Message):
    __slots__ = ("access_token", "refresh_token", "token_type", "expires_in", "refresh_expires_in", "workspace_id")
    ACCESS_TOKEN_FIELD_NUMBER: _ClassVar[int]
    REFRESH_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOKEN_TYPE_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_IN_FIELD_NUMBER: _ClassVar[int]
    REFRESH_EXPIRES_IN_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    access_token: str
    refresh_token: str
    token_type: str
    expires_in: int
    refresh_expires_in: int
    workspace_id: str
    def __init__(self, access_token: _Optional[str] = ..., refresh_token: _Optional[str] = ..., token_type: _Optional[str] = ..., expires_in: _Optional[int] = ..., refresh_expires_in: _Optional[int] = ..., workspace_id: _Optional[str] = ...) -> None: ...

class LogoutRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class AdminLogoutRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class AdminLogoutResponse(_message.Message):
    __slots__ = ("status", "admin_token")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    ADMIN_TOKEN_FIELD_NUMBER: _ClassVar[int]
    status: str
    admin_token: str
    def __init__(self, status: _Optional[str] = ..., admin_token: _Optional[str] = ...) -> None: ...

class GetAdminMeRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class AdminMe(_message.Message):
    __slots__ = ("id", "email", "name", "avatar_url", "is_admin")
    ID_FIELD_NUMBER: _ClassVar[int]
    EMAIL_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    AVATAR_URL_FIELD_NUMBER: _ClassVar[int]
    IS_ADMIN_FIELD_NUMBER: _ClassVar[int]
    id: str
    email: str
    name: str
    avatar_url: str
    is_admin: bool
    def __init__(self, id: _Optional[str] = ..., email: _Optional[str] = ..., name: _Optional[str] = ..., avatar_url: _Optional[str] = ..., is_admin: bool = ...) -> None: ...

class GetKeySetRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class KeySet(_message.Message):
    __slots__ = ("keys",)
    KEYS_FIELD_NUMBER: _ClassVar[int]
    keys: _containers.RepeatedCompositeFieldContainer[Key]
    def __init__(self, keys: _Optional[_Iterable[_Union[Key, _Mapping]]] = ...) -> None: ...

class Key(_message.Message):
    __slots__ = ("kty", "use", "alg", "kid", "n", "e")
    KTY_FIELD_NUMBER: _ClassVar[int]
    USE_FIELD_NUMBER: _ClassVar[int]
    ALG_FIELD_NUMBER: _ClassVar[int]
    KID_FIELD_NUMBER: _ClassVar[int]
    N_FIELD_NUMBER: _ClassVar[int]
    E_FIELD_NUMBER: _ClassVar[int]
    kty: str
    use: str
    alg: str
    kid: str
    n: str
    e: str
    def __init__(self, kty: _Optional[str] = ..., use: _Optional[str] = ..., alg: _Optional[str] = ..., kid: _Optional[str] = ..., n: _Optional[str] = ..., e: _Optional[str] = ...) -> None: ...

class GetConfigurationRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Configuration(_message.Message):
    __slots__ = ("issuer", "jwks_uri", "token_endpoint", "response_types_supported", "subject_types_supported", "id_token_signing_alg_values_supported", "code_challenge_methods_supported", "token_endpoint_auth_methods_supported", "claims_supported", "authorization_endpoint", "userinfo_endpoint", "revocation_endpoint", "introspection_endpoint", "end_session_endpoint", "scopes_supported", "response_modes_supported", "grant_types_supported", "prompt_values_supported", "revocation_endpoint_auth_methods_supported", "authorization_response_iss_parameter_supported", "backchannel_logout_supported", "backchannel_logout_session_supported", "claims_parameter_supported", "request_parameter_supported", "request_uri_parameter_supported")
    ISSUER_FIELD_NUMBER: _ClassVar[int]
    JWKS_URI_FIELD_NUMBER: _ClassVar[int]
    TOKEN_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_TYPES_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_TYPES_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    ID_TOKEN_SIGNING_ALG_VALUES_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    CODE_CHALLENGE_METHODS_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    TOKEN_ENDPOINT_AUTH_METHODS_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    CLAIMS_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    AUTHORIZATION_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    USERINFO_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    REVOCATION_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    INTROSPECTION_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    END_SESSION_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    SCOPES_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_MODES_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    GRANT_TYPES_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    PROMPT_VALUES_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    REVOCATION_ENDPOINT_AUTH_METHODS_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    AUTHORIZATION_RESPONSE_ISS_PARAMETER_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    BACKCHANNEL_LOGOUT_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    BACKCHANNEL_LOGOUT_SESSION_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    CLAIMS_PARAMETER_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    REQUEST_PARAMETER_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    REQUEST_URI_PARAMETER_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    issuer: str
    jwks_uri: str
    token_endpoint: str
    response_types_supported: _containers.RepeatedScalarFieldContainer[str]
    subject_types_supported: _containers.RepeatedScalarFieldContainer[str]
    id_token_signing_alg_values_supported: _containers.RepeatedScalarFieldContainer[str]
    code_challenge_methods_supported: _containers.RepeatedScalarFieldContainer[str]
    token_endpoint_auth_methods_supported: _containers.RepeatedScalarFieldContainer[str]
    claims_supported: _containers.RepeatedScalarFieldContainer[str]
    authorization_endpoint: str
    userinfo_endpoint: str
    revocation_endpoint: str
    introspection_endpoint: str
    end_session_endpoint: str
    scopes_supported: _containers.RepeatedScalarFieldContainer[str]
    response_modes_supported: _containers.RepeatedScalarFieldContainer[str]
    grant_types_supported: _containers.RepeatedScalarFieldContainer[str]
    prompt_values_supported: _containers.RepeatedScalarFieldContainer[str]
    revocation_endpoint_auth_methods_supported: _containers.RepeatedScalarFieldContainer[str]
    authorization_response_iss_parameter_supported: bool
    backchannel_logout_supported: bool
    backchannel_logout_session_supported: bool
    claims_parameter_supported: bool
    request_parameter_supported: bool
    request_uri_parameter_supported: bool
    def __init__(self, issuer: _Optional[str] = ..., jwks_uri: _Optional[str] = ..., token_endpoint: _Optional[str] = ..., response_types_supported: _Optional[_Iterable[str]] = ..., subject_types_supported: _Optional[_Iterable[str]] = ..., id_token_signing_alg_values_supported: _Optional[_Iterable[str]] = ..., code_challenge_methods_supported: _Optional[_Iterable[str]] = ..., token_endpoint_auth_methods_supported: _Optional[_Iterable[str]] = ..., claims_supported: _Optional[_Iterable[str]] = ..., authorization_endpoint: _Optional[str] = ..., userinfo_endpoint: _Optional[str] = ..., revocation_endpoint: _Optional[str] = ..., introspection_endpoint: _Optional[str] = ..., end_session_endpoint: _Optional[str] = ..., scopes_supported: _Optional[_Iterable[str]] = ..., response_modes_supported: _Optional[_Iterable[str]] = ..., grant_types_supported: _Optional[_Iterable[str]] = ..., prompt_values_supported: _Optional[_Iterable[str]] = ..., revocation_endpoint_auth_methods_supported: _Optional[_Iterable[str]] = ..., authorization_response_iss_parameter_supported: bool = ..., backchannel_logout_supported: bool = ..., backchannel_logout_session_supported: bool = ..., claims_parameter_supported: bool = ..., request_parameter_supported: bool = ..., request_uri_parameter_supported: bool = ...) -> None: ...
