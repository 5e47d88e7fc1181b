package daikon

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

const (
	maxKeysAge = 5 * time.Minute

	// minReload limits how often forged tokens can cause the keys to be reloaded.
	minReload = 5 * time.Second
)

// tokenVerifier verifies access tokens with the public keys of daikon, which it caches.
type tokenVerifier struct {
	// load returns the issuer and its keys.
	load func(context.Context) (issuer string, keys []*daikonv1.Key, err error)
	// issuer is the only accepted issuer, unless it is empty.
	issuer string
	now    func() time.Time

	mu          sync.Mutex
	keys        *keySet
	loading     *keyLoad
	lastAttempt time.Time
}

// keySet contains the public keys of an issuer, by kid.
type keySet struct {
	issuer   string
	keys     map[string]*rsa.PublicKey
	loadedAt time.Time
}

// keyLoad is a load that several callers may wait for.
type keyLoad struct {
	done chan struct{}
	keys *keySet
	err  error
}

// acceptedTokens are the tokens that a caller accepts.
type acceptedTokens struct {
	// audience is the API that a token must be limited to; nil for tokens that are not limited.
	audience *string
	// delegated is whether tokens with which an agent acts for a user are accepted, too.
	delegated bool
}

const (
	typeDelegated     = "delegated"
	delegatedAudience = "daikon:delegated"
)

// accept returns an error unless the token of a type (typ) with these claims is accepted.
func (a acceptedTokens) accept(typ string, claims *Claims) *Error {
	isDelegated := typ == "dt+jwt" && claims.Type == typeDelegated
	switch {
	case isDelegated && !a.delegated:
		return tokenInvalidError("an agent acts for the user, see the option Delegated")
	case isDelegated && (claims.Actor == nil || claims.Actor.ID == "" || claims.DelegationID == ""):
		return tokenInvalidError("it does not name the agent and the delegation")
	case !isDelegated && typ != "at+jwt":
		return tokenInvalidError("it is not a daikon access token")
	}
	wantedType, wantedAudience := "access", "daikon"
	if isDelegated {
		wantedType, wantedAudience = typeDelegated, delegatedAudience
	}
	if a.audience == nil {
		if claims.Type != wantedType || claims.Audience != wantedAudience {
			return tokenInvalidError("it is not an access token")
		}
		return nil
	}
	isLimited := claims.Type == "resource_access" || isDelegated && claims.Audience != delegatedAudience
	if !isLimited || trimOrigin(claims.Audience) != trimOrigin(*a.audience) {
		return tokenInvalidError("it is not for " + *a.audience)
	}
	return nil
}

// verify returns the claims of a valid token that is accepted.
func (v *tokenVerifier) verify(ctx context.Context, token string, accepted acceptedTokens) (*Claims, error) {
	decoded := decodeToken(token)
	if decoded == nil {
		return nil, tokenInvalidError("it is not a JSON Web Token")
	}
	if typ := decoded.header.Type; decoded.header.Algorithm != "RS256" || typ != "at+jwt" && typ != "dt+jwt" {
		return nil, tokenInvalidError("it is not a daikon access token")
	}
	keys, err := v.findKeys(ctx, decoded.header.KeyID)
	if err != nil {
		return nil, err
	}
	key := keys.keys[decoded.header.KeyID]
	if key == nil {
		return nil, tokenInvalidError("daikon has no key of this kid. Was it issued by another daikon?")
	}
	digest := sha256.Sum256([]byte(decoded.signed))
	if rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], decoded.signature) != nil {
		return nil, tokenInvalidError("the signature does not match")
	}
	claims := &Claims{}
	if err := json.Unmarshal(decoded.payload, claims); err != nil {
		return nil, tokenInvalidError("its claims are malformed")
	}
	issuer := keys.issuer
	if v.issuer != "" {
		issuer = v.issuer
	}
	if claims.Issuer != keys.issuer || claims.Issuer != issuer {
		return nil, tokenInvalidError(fmt.Sprintf("its issuer is %q, not %s", claims.Issuer, issuer))
	}
	if err := accepted.accept(decoded.header.Type, claims); err != nil {
		return nil, err
	}
	switch {
	case claims.ExpiresAtUnix == 0:
		return nil, tokenInvalidError("it has no exp")
	case !v.now().Before(claims.ExpiresAt()):
		return nil, tokenExpiredError()
	}
	if accepted.audience != nil || claims.Type == typeDelegated {
		claims.Role = "viewer"
	}
	return claims, nil
}

// trimOrigin removes the slash of an origin, which is one API with and without it.
func trimOrigin(uri string) string {
	if strings.Count(uri, "/") == strings.Count("https://host/", "/") {
		return strings.TrimSuffix(uri, "/")
	}
	return uri
}

// findKeys returns the cached keys, or loads them if they are old or lack kid. If loading fails, the old keys stay in
// use.
func (v *tokenVerifier) findKeys(ctx context.Context, kid string) (*keySet, error) {
	v.mu.Lock()
	current := v.keys
	mayLoad := v.now().Sub(v.lastAttempt) >= minReload
	isKnown := current != nil && current.keys[kid] != nil
	if current != nil && (!mayLoad || isKnown && v.now().Sub(current.loadedAt) < maxKeysAge) && v.loading == nil {
		v.mu.Unlock()
		return current, nil
	}
	load := v.startLoading()
	v.mu.Unlock()
	if err := waitForShared(ctx, load.done, "The keys of daikon could not be loaded"); err != nil {
		return nil, err
	}
	if load.err != nil && isKnown {
		return current, nil
	}
	return load.keys, load.err
}

// startLoading loads the keys. Other callers may wait for the same load, so it does not end with the caller's context.
// The caller must hold the mutex.
func (v *tokenVerifier) startLoading() *keyLoad {
	if v.loading != nil {
		return v.loading
	}
	load := &keyLoad{done: make(chan struct{})}
	v.loading = load
	v.lastAttempt = v.now()
	go func() {
		issuer, keys, err := v.load(context.Background())
		v.mu.Lock()
		defer v.mu.Unlock()
		if err == nil {
			load.keys = &keySet{issuer: issuer, keys: importKeys(keys), loadedAt: v.now()}
			v.keys = load.keys
		}
		load.err = err
		v.loading = nil
		close(load.done)
	}()
	return load
}

// importKeys converts JSON Web Keys (RFC 7517). It skips keys that are not RSA keys.
func importKeys(keys []*daikonv1.Key) map[string]*rsa.PublicKey {
	imported := map[string]*rsa.PublicKey{}
	for _, key := range keys {
		modulus, err := base64.RawURLEncoding.DecodeString(key.GetN())
		exponent, err2 := base64.RawURLEncoding.DecodeString(key.GetE())
		if err != nil || err2 != nil || key.GetKty() != "RSA" || len(exponent) > 4 {
			continue
		}
		imported[key.GetKid()] = &rsa.PublicKey{
			N: new(big.Int).SetBytes(modulus),
			E: int(new(big.Int).SetBytes(exponent).Int64()),
		}
	}
	return imported
}

// decodedToken contains the parts of an unverified JSON Web Token.
type decodedToken struct {
	header    tokenHeader
	payload   []byte
	signed    string
	signature []byte
}

type tokenHeader struct {
	Algorithm string `json:"alg"`
	Type      string `json:"typ"`
	KeyID     string `json:"kid"`
}

// decodeToken returns nil if the token is not a JSON Web Token (RFC 7519).
func decodeToken(token string) *decodedToken {
	decoded := splitToken(token)
	var claims *struct{}
	if decoded == nil || json.Unmarshal(decoded.payload, &claims) != nil || claims == nil {
		return nil
	}
	return decoded
}

// splitToken is decodeToken without its last step: the payload can be anything.
func splitToken(token string) *decodedToken {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" {
		return nil
	}
	decoded := &decodedToken{signed: parts[0] + "." + parts[1]}
	header, err := base64.RawURLEncoding.DecodeString(parts[0])
	if err != nil || json.Unmarshal(header, &decoded.header) != nil {
		return nil
	}
	decoded.payload, err = base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return nil
	}
	decoded.signature, err = base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return nil
	}
	return decoded
}

// deniedTokenError returns an error if the token of a denied subject is not valid. context comes from the response.
func deniedTokenError(subject subjectName, context *structpb.Struct) *Error {
	if err := reportedTokenError(context); err != nil {
		return err
	}
	return impossibleTokenError(subject)
}

// reportedTokenError returns the error that the server reports for a token, or nil.
func reportedTokenError(context *structpb.Struct) *Error {
	fields := context.GetFields()["subject_error"].GetStructValue().GetFields()
	reason := fields["reason"].GetStringValue()
	if reason == "" {
		return nil
	}
	message := withAdvice(reason, fields["message"].GetStringValue())
	return &Error{Code: CodeUnauthenticated, Reason: reason, Message: message}
}

// impossibleTokenError returns an error if the token of a denied subject cannot be valid. A server older than this
// client does not report it.
func impossibleTokenError(subject subjectName) *Error {
	if subject.kind != kindToken {
		return nil
	}
	decoded := splitToken(subject.id)
	var claims *struct {
		ExpiresAt any `json:"exp"`
	}
	if decoded == nil || json.Unmarshal(decoded.payload, &claims) != nil || claims == nil {
		return tokenInvalidError("it is not a JSON Web Token")
	}
	expiresAt, isNumber := claims.ExpiresAt.(float64)
	if isNumber && expiresAt*1000 <= float64(time.Now().UnixMilli()) {
		return tokenExpiredError()
	}
	return nil
}
