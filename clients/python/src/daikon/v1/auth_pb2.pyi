from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

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
    __slots__ = ("issuer", "jwks_uri", "token_endpoint", "response_types_supported", "subject_types_supported", "id_token_signing_alg_values_supported", "token_endpoint_auth_signing_alg_values_supported", "revocation_endpoint_auth_signing_alg_values_supported", "introspection_endpoint_auth_signing_alg_values_supported", "code_challenge_methods_supported", "token_endpoint_auth_methods_supported", "claims_supported", "authorization_endpoint", "userinfo_endpoint", "revocation_endpoint", "introspection_endpoint", "end_session_endpoint", "scopes_supported", "response_modes_supported", "grant_types_supported", "prompt_values_supported", "revocation_endpoint_auth_methods_supported", "authorization_response_iss_parameter_supported", "backchannel_logout_supported", "backchannel_logout_session_supported", "claims_parameter_supported", "request_parameter_supported", "request_uri_parameter_supported", "introspection_endpoint_auth_methods_supported", "acr_values_supported", "client_id_metadata_document_supported")
    ISSUER_FIELD_NUMBER: _ClassVar[int]
    JWKS_URI_FIELD_NUMBER: _ClassVar[int]
    TOKEN_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_TYPES_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_TYPES_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    ID_TOKEN_SIGNING_ALG_VALUES_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    TOKEN_ENDPOINT_AUTH_SIGNING_ALG_VALUES_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    REVOCATION_ENDPOINT_AUTH_SIGNING_ALG_VALUES_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    INTROSPECTION_ENDPOINT_AUTH_SIGNING_ALG_VALUES_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
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
    INTROSPECTION_ENDPOINT_AUTH_METHODS_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    ACR_VALUES_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_METADATA_DOCUMENT_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    issuer: str
    jwks_uri: str
    token_endpoint: str
    response_types_supported: _containers.RepeatedScalarFieldContainer[str]
    subject_types_supported: _containers.RepeatedScalarFieldContainer[str]
    id_token_signing_alg_values_supported: _containers.RepeatedScalarFieldContainer[str]
    token_endpoint_auth_signing_alg_values_supported: _containers.RepeatedScalarFieldContainer[str]
    revocation_endpoint_auth_signing_alg_values_supported: _containers.RepeatedScalarFieldContainer[str]
    introspection_endpoint_auth_signing_alg_values_supported: _containers.RepeatedScalarFieldContainer[str]
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
    introspection_endpoint_auth_methods_supported: _containers.RepeatedScalarFieldContainer[str]
    acr_values_supported: _containers.RepeatedScalarFieldContainer[str]
    client_id_metadata_document_supported: bool
    def __init__(self, issuer: _Optional[str] = ..., jwks_uri: _Optional[str] = ..., token_endpoint: _Optional[str] = ..., response_types_supported: _Optional[_Iterable[str]] = ..., subject_types_supported: _Optional[_Iterable[str]] = ..., id_token_signing_alg_values_supported: _Optional[_Iterable[str]] = ..., token_endpoint_auth_signing_alg_values_supported: _Optional[_Iterable[str]] = ..., revocation_endpoint_auth_signing_alg_values_supported: _Optional[_Iterable[str]] = ..., introspection_endpoint_auth_signing_alg_values_supported: _Optional[_Iterable[str]] = ..., code_challenge_methods_supported: _Optional[_Iterable[str]] = ..., token_endpoint_auth_methods_supported: _Optional[_Iterable[str]] = ..., claims_supported: _Optional[_Iterable[str]] = ..., authorization_endpoint: _Optional[str] = ..., userinfo_endpoint: _Optional[str] = ..., revocation_endpoint: _Optional[str] = ..., introspection_endpoint: _Optional[str] = ..., end_session_endpoint: _Optional[str] = ..., scopes_supported: _Optional[_Iterable[str]] = ..., response_modes_supported: _Optional[_Iterable[str]] = ..., grant_types_supported: _Optional[_Iterable[str]] = ..., prompt_values_supported: _Optional[_Iterable[str]] = ..., revocation_endpoint_auth_methods_supported: _Optional[_Iterable[str]] = ..., authorization_response_iss_parameter_supported: bool = ..., backchannel_logout_supported: bool = ..., backchannel_logout_session_supported: bool = ..., claims_parameter_supported: bool = ..., request_parameter_supported: bool = ..., request_uri_parameter_supported: bool = ..., introspection_endpoint_auth_methods_supported: _Optional[_Iterable[str]] = ..., acr_values_supported: _Optional[_Iterable[str]] = ..., client_id_metadata_document_supported: bool = ...) -> None: ...
