"""Signs in with requests-oauthlib as a web application does, without PKCE, and prints the claims as JSON."""

import json
import os
import sys

import requests
from requests_oauthlib import OAuth2Session

# The issuer of the tests has no certificate.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

issuer, client_id, client_secret, redirect_uri, email = sys.argv[1:]
client = OAuth2Session(client_id, redirect_uri=redirect_uri, scope=["openid", "profile", "email"])
url, state = client.authorization_url(f"{issuer}/oauth/authorize", login_hint=email)
assert "code_challenge" not in url, url
response = requests.Session().get(url)
assert response.url.startswith(redirect_uri), (response.url, response.text)
token = client.fetch_token(
    f"{issuer}/oauth/token", authorization_response=response.url, client_secret=client_secret
)
userinfo = client.get(f"{issuer}/oauth/userinfo").json()
refreshed = client.refresh_token(
    f"{issuer}/oauth/token", client_id=client_id, client_secret=client_secret
)
print(json.dumps({"id_token": userinfo, "userinfo": userinfo, "refreshed": refreshed["access_token"]}))
