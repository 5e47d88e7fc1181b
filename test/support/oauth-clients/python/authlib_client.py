"""Signs in with Authlib as a web application does, and prints the claims as JSON."""

import json
import sys

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from authlib.oidc.core import CodeIDToken

issuer, client_id, client_secret, redirect_uri, email = sys.argv[1:]
server = requests.get(f"{issuer}/.well-known/openid-configuration").json()
client = OAuth2Session(
    client_id,
    client_secret,
    scope="openid profile email",
    redirect_uri=redirect_uri,
    token_endpoint=server["token_endpoint"],
    code_challenge_method="S256",
)
verifier = generate_token(48)
nonce = generate_token()
url, state = client.create_authorization_url(
    server["authorization_endpoint"], code_verifier=verifier, nonce=nonce, login_hint=email
)
response = requests.Session().get(url)
assert response.url.startswith(redirect_uri), (response.url, response.text)
token = client.fetch_token(
    server["token_endpoint"],
    authorization_response=response.url,
    state=state,
    code_verifier=verifier,
)
keys = JsonWebKey.import_key_set(requests.get(server["jwks_uri"]).json())
claims = jwt.decode(
    token["id_token"],
    keys,
    claims_cls=CodeIDToken,
    claims_options={"iss": {"value": issuer}, "aud": {"value": client_id}},
    claims_params={"nonce": nonce, "client_id": client_id, "access_token": token["access_token"]},
)
claims.validate()
userinfo = client.get(server["userinfo_endpoint"]).json()
refreshed = client.refresh_token(server["token_endpoint"])
client.revoke_token(server["revocation_endpoint"], token=refreshed["refresh_token"])
print(
    json.dumps(
        {"id_token": claims, "userinfo": userinfo, "refreshed": refreshed["access_token"]}
    )
)
