package daikontest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"strings"
	"sync"
	"time"

	"github.com/daikon-auth/daikon/clients/go/daikon"
	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

// issuer marks tokens of a fake, so that no server accepts them.
const issuer = "daikon-fake"

const keyID = "daikon-fake"

// signingKey is generated when the first token is needed, once for all fakes of a process.
var signingKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func publicKey() *daikonv1.Key {
	key := signingKey().PublicKey
	encode := base64.RawURLEncoding.EncodeToString
	return &daikonv1.Key{
		Kty: "RSA",
		Use: "sig",
		Alg: "RS256",
		Kid: keyID,
		N:   encode(key.N.Bytes()),
		E:   encode(big.NewInt(int64(key.E)).Bytes()),
	}
}

// Token returns an access token for a user and workspace, which this fake accepts for 15 minutes.
func (f *Fake) Token(userID, workspaceID string) string {
	return f.TokenWithLifetime(userID, workspaceID, 15*time.Minute)
}

// TokenWithLifetime returns an access token that expires after lifetime. If lifetime is negative, it has already
// expired.
func (f *Fake) TokenWithLifetime(userID, workspaceID string, lifetime time.Duration) string {
	return f.token(userID, workspaceID, lifetime, time.Now())
}

// TokenWithSignIn returns an access token of a user who signed in at signedInAt.
func (f *Fake) TokenWithSignIn(userID, workspaceID string, signedInAt time.Time) string {
	return f.token(userID, workspaceID, 15*time.Minute, signedInAt)
}

// TokenForAPI returns an access token that is limited to the API with the URI resource, and has these scopes there.
func (f *Fake) TokenForAPI(userID, workspaceID, resource string, scopes ...string) string {
	now := time.Now()
	return sign(daikon.Claims{
		Subject:       userID,
		ID:            rand.Text(),
		WorkspaceID:   workspaceID,
		AuthTimeUnix:  now.Unix(),
		Issuer:        issuer,
		Audience:      resource,
		Scope:         strings.Join(scopes, " "),
		Type:          "resource_access",
		IssuedAtUnix:  now.Unix(),
		ExpiresAtUnix: now.Add(15 * time.Minute).Unix(),
	})
}

// DelegatedToken returns a token with which the agent of a delegation acts for its user for 15 minutes. It panics if the
// world has no delegation with this ID.
func (f *Fake) DelegatedToken(delegationID string) string {
	return f.delegatedToken(delegationID, "daikon:delegated", nil)
}

// DelegatedTokenForAPI returns a token like [Fake.DelegatedToken] that is limited to the API with the URI resource, and
// has these scopes there.
func (f *Fake) DelegatedTokenForAPI(delegationID, resource string, scopes ...string) string {
	return f.delegatedToken(delegationID, resource, scopes)
}

func (f *Fake) delegatedToken(delegationID, audience string, scopes []string) string {
	f.server.mu.Lock()
	found := f.server.state.delegations[delegationID]
	f.server.mu.Unlock()
	if found == nil {
		panic("daikontest: " + delegationID + " is not in Delegations")
	}
	now := time.Now()
	return sign(daikon.Claims{
		Subject:       found.userID,
		ID:            rand.Text(),
		WorkspaceID:   found.workspaceID,
		Issuer:        issuer,
		Audience:      audience,
		Scope:         strings.Join(scopes, " "),
		Type:          "delegated",
		Actor:         &daikon.Actor{ID: found.agent.ID, Type: found.agent.Type},
		DelegationID:  found.id,
		IssuedAtUnix:  now.Unix(),
		ExpiresAtUnix: now.Add(15 * time.Minute).Unix(),
	})
}

func (f *Fake) token(userID, workspaceID string, lifetime time.Duration, signedInAt time.Time) string {
	f.server.mu.Lock()
	user := f.server.state.users[userID]
	member, _ := f.server.state.findMember(workspaceID, userID)
	f.server.mu.Unlock()
	now := time.Now()
	return sign(daikon.Claims{
		Subject:       userID,
		ID:            rand.Text(),
		Email:         user.Email,
		WorkspaceID:   workspaceID,
		Role:          string(member.Role),
		Guest:         member.Guest,
		AuthTimeUnix:  signedInAt.Unix(),
		Issuer:        issuer,
		Audience:      "daikon",
		Type:          "access",
		IssuedAtUnix:  now.Unix(),
		ExpiresAtUnix: now.Add(lifetime).Unix(),
	})
}

func sign(claims daikon.Claims) string {
	header := map[string]string{"alg": "RS256", "typ": "at+jwt", "kid": keyID}
	if claims.Actor != nil {
		header["typ"] = "dt+jwt"
	}
	signed := encodePart(header) + "." + encodePart(claims)
	digest := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(nil, signingKey(), crypto.SHA256, digest[:])
	if err != nil {
		panic(err)
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func encodePart(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// tokenError returns the reason and the message of the error of a token; both are empty if it is valid.
func tokenError(token string) (reason, message string) {
	switch _, isValid, isCurrent := readToken(token); {
	case !isValid:
		return "TOKEN_INVALID", "The token is not valid"
	case !isCurrent:
		return "TOKEN_EXPIRED", "The token has expired"
	}
	return "", ""
}

// readToken returns the claims of a token of a fake; isCurrent is false if it has expired.
func readToken(token string) (claims daikon.Claims, isValid, isCurrent bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return claims, false, false
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(payload, &claims) != nil || claims.Issuer != issuer {
		return claims, false, false
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err != nil || rsa.VerifyPKCS1v15(&signingKey().PublicKey, crypto.SHA256, digest[:], signature) != nil {
		return claims, false, false
	}
	return claims, true, time.Now().Before(claims.ExpiresAt())
}
