"""Obtains a token with the credentials of a client, as Authlib does, and prints it."""

import sys

from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT

token_endpoint, client_id, secret, method = sys.argv[1:]
client = OAuth2Session(client_id, secret, token_endpoint_auth_method=method)
if method == "private_key_jwt":
    client.register_client_auth_method(PrivateKeyJWT(token_endpoint))
token = client.fetch_token(token_endpoint, grant_type="client_credentials")
print(token["access_token"], end="")
