package daikon

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

var testKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// signedToken signs a valid access token after change has changed its header and claims.
func signedToken(t *testing.T, change func(header, claims map[string]any)) string {
	t.Helper()
	header := map[string]any{"alg": "RS256", "typ": "at+jwt", "kid": "one"}
	claims := map[string]any{
		"iss": "https://daikon.example", "aud": "daikon", "type": "access", "sub": "alice",
		"exp": time.Now().Add(time.Hour).Unix(),
	}
	if change != nil {
		change(header, claims)
	}
	encode := func(value any) string {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(text)
	}
	signed := encode(header) + "." + encode(claims)
	digest := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(nil, testKey(), crypto.SHA256, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// newTestVerifier returns a verifier that counts its loads. now and fail may change between calls.
func newTestVerifier() (verifier *tokenVerifier, loads *int, now *time.Time, fail *error) {
	loads, now, fail = new(int), new(time.Time), new(error)
	*now = time.Now()
	verifier = &tokenVerifier{
		now: func() time.Time { return *now },
		load: func(context.Context) (string, []*daikonv1.Key, error) {
			*loads++
			key := testKey().PublicKey
			encode := base64.RawURLEncoding.EncodeToString
			modulus, exponent := encode(key.N.Bytes()), encode(big.NewInt(int64(key.E)).Bytes())
			keys := []*daikonv1.Key{
				{Kty: "EC", Kid: "other"},
				{Kty: "RSA", Kid: "one", N: modulus, E: exponent},
			}
			return "https://daikon.example", keys, *fail
		},
	}
	return verifier, loads, now, fail
}

func TestVerifyChecksEveryClaim(t *testing.T) {
	verifier, _, _, _ := newTestVerifier()
	valid := signedToken(t, nil)
	if claims, err := verifier.verify(t.Context(), valid, acceptedTokens{}); err != nil || claims.Subject != "alice" {
		t.Fatal(claims, err)
	}
	set := func(name string, value any) func(header, claims map[string]any) {
		return func(_, claims map[string]any) { claims[name] = value }
	}
	setHeader := func(name string, value any) func(header, claims map[string]any) {
		return func(header, _ map[string]any) { header[name] = value }
	}
	invalid := map[string]string{
		"another algorithm": signedToken(t, setHeader("alg", "HS256")),
		"no algorithm":      signedToken(t, setHeader("alg", "none")),
		"an ID token":       signedToken(t, setHeader("typ", "JWT")),
		"an unknown key":    signedToken(t, setHeader("kid", "two")),
		"another issuer":    signedToken(t, set("iss", "https://other.example")),
		"another audience":  signedToken(t, set("aud", "other")),
		"a refresh token":   signedToken(t, set("type", "refresh")),
		"no expiry":         signedToken(t, func(_, claims map[string]any) { delete(claims, "exp") }),
		"text as expiry":    signedToken(t, set("exp", "soon")),
		"another signature": valid[:len(valid)-8] + "AAAAAAAA",
		"no signature":      valid[:len(valid)-342],
		"text":              "text",
		"not JSON":          "a.b.c",
		"empty":             "",
	}
	for name, token := range invalid {
		requireTokenError(t, verifier, name, token, "TOKEN_INVALID")
	}
	expired := signedToken(t, set("exp", time.Now().Add(-time.Second).Unix()))
	requireTokenError(t, verifier, "expired", expired, "TOKEN_EXPIRED")
	verifier.issuer = "https://pinned.example"
	requireTokenError(t, verifier, "not the pinned issuer", valid, "TOKEN_INVALID")
	pinned := signedToken(t, set("iss", "https://pinned.example"))
	requireTokenError(t, verifier, "keys of another issuer", pinned, "TOKEN_INVALID")
}

// A token is accepted if it names the agent exactly as a caller allows it, and for the API that the caller names.
func TestDelegatedTokensAreAcceptedOnlyIfAskedFor(t *testing.T) {
	verifier, _, _, _ := newTestVerifier()
	const uri, other = "https://api.example/v1", "https://other.example/v1"
	person := func(header, claims map[string]any) {}
	limited := func(_, claims map[string]any) { claims["type"], claims["aud"] = "resource_access", uri }
	delegated := func(header, claims map[string]any) {
		header["typ"] = "dt+jwt"
		claims["type"], claims["aud"], claims["delegation_id"] = "delegated", "daikon:delegated", "d"
		claims["act"] = map[string]any{"sub": "bot", "typ": "client"}
	}
	delegatedTo := func(audience any) func(header, claims map[string]any) {
		return func(header, claims map[string]any) {
			delegated(header, claims)
			claims["aud"] = audience
		}
	}
	without := func(name string) func(header, claims map[string]any) {
		return func(header, claims map[string]any) {
			delegated(header, claims)
			delete(claims, name)
			delete(header, name)
		}
	}
	set := func(name, value string) func(header, claims map[string]any) {
		return func(header, claims map[string]any) {
			delegated(header, claims)
			if name == "typ" {
				header[name] = value
				return
			}
			claims[name] = value
		}
	}
	all, api := "", uri
	// The audiences for which each token is accepted: without Delegated, and with it.
	for name, test := range map[string]struct {
		change            func(header, claims map[string]any)
		plain, delegating []string
	}{
		"a person's":                 {person, []string{all}, []string{all}},
		"limited to an API":          {limited, []string{api}, []string{api}},
		"an agent's":                 {delegated, nil, []string{all}},
		"an agent's for an API":      {delegatedTo(uri), nil, []string{api}},
		"an agent's for daikon":      {delegatedTo("daikon"), nil, nil},
		"an agent's for two APIs":    {delegatedTo([]string{uri, "daikon:delegated"}), nil, nil},
		"without an agent":           {without("act"), nil, nil},
		"without a delegation":       {without("delegation_id"), nil, nil},
		"without a typ":              {without("typ"), nil, nil},
		"typ of a person's":          {set("typ", "at+jwt"), nil, nil},
		"another typ":                {set("typ", "jwt"), nil, nil},
		"type of a person's":         {set("type", "access"), nil, nil},
		"type of one for an API":     {set("type", "resource_access"), nil, nil},
		"an agent that is no object": {set("act", "bot"), nil, nil},
	} {
		token := signedToken(t, test.change)
		for _, isDelegating := range []bool{false, true} {
			expected := test.plain
			if isDelegating {
				expected = test.delegating
			}
			for _, audience := range []string{all, api, other, "daikon:delegated"} {
				accepted := acceptedTokens{delegated: isDelegating}
				if audience != all {
					accepted.audience = &audience
				}
				claims, err := verifier.verify(t.Context(), token, accepted)
				if slices.Contains(expected, audience) {
					if err != nil || claims.Subject != "alice" {
						t.Errorf("%s for %q: %v", name, audience, err)
					}
				} else if !errors.Is(err, ErrInvalidToken) {
					t.Errorf("%s for %q is accepted: %v", name, audience, err)
				}
			}
		}
	}
	claims, err := verifier.verify(t.Context(), signedToken(t, delegated), acceptedTokens{delegated: true})
	if err != nil {
		t.Fatal(err)
	}
	if *claims.Actor != (Actor{ID: "bot", Type: AgentClient}) || claims.DelegationID != "d" || claims.Role != "viewer" {
		t.Errorf("%+v", claims)
	}
	expired := signedToken(t, func(header, claims map[string]any) {
		delegated(header, claims)
		claims["exp"] = time.Now().Add(-time.Second).Unix()
	})
	var failure *Error
	_, err = verifier.verify(t.Context(), expired, acceptedTokens{delegated: true})
	if !errors.As(err, &failure) || failure.Reason != "TOKEN_EXPIRED" {
		t.Error(err)
	}
}

func requireTokenError(t *testing.T, verifier *tokenVerifier, name, token, reason string) {
	t.Helper()
	_, err := verifier.verify(t.Context(), token, acceptedTokens{})
	var failure *Error
	if !errors.As(err, &failure) || failure.Reason != reason || !errors.Is(err, ErrInvalidToken) {
		t.Errorf("%s: %v", name, err)
	}
}

func TestKeysAreCached(t *testing.T) {
	verifier, loads, now, fail := newTestVerifier()
	start := *now
	verify := func(elapsed time.Duration, token string, expectedLoads int) error {
		t.Helper()
		*now = start.Add(elapsed)
		_, err := verifier.verify(t.Context(), token, acceptedTokens{})
		if *loads != expectedLoads {
			t.Errorf("after %s: %d loads instead of %d", elapsed, *loads, expectedLoads)
		}
		return err
	}
	requireNil := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	valid := signedToken(t, nil)
	forged := signedToken(t, func(header, _ map[string]any) { header["kid"] = "two" })
	requireNil(verify(0, valid, 1))
	requireNil(verify(time.Second, valid, 1))
	// An unknown kid reloads the keys, but at most every 5 seconds.
	if err := verify(2*time.Second, forged, 1); !errors.Is(err, ErrInvalidToken) {
		t.Error(err)
	}
	if err := verify(6*time.Second, forged, 2); !errors.Is(err, ErrInvalidToken) {
		t.Error(err)
	}
	if err := verify(7*time.Second, forged, 2); !errors.Is(err, ErrInvalidToken) {
		t.Error(err)
	}
	// Expired keys are reloaded, and remain in use while reloading fails.
	*fail = errors.New("away")
	requireNil(verify(6*time.Minute, valid, 3))
	requireNil(verify(6*time.Minute+time.Second, valid, 3))
	if err := verify(7*time.Minute, forged, 4); err == nil || err.Error() != "away" {
		t.Error(err)
	}
	*fail = nil
	requireNil(verify(8*time.Minute, valid, 5))
	requireNil(verify(9*time.Minute, valid, 5))
}

func TestALoadIsSharedAndOutlivesACanceledCaller(t *testing.T) {
	verifier, loads, _, _ := newTestVerifier()
	started, released := make(chan struct{}), make(chan struct{})
	load := verifier.load
	verifier.load = func(ctx context.Context) (string, []*daikonv1.Key, error) {
		close(started)
		<-released
		return load(ctx)
	}
	token := signedToken(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	results := make(chan error, 2)
	for _, ctx := range []context.Context{ctx, t.Context()} {
		go func() {
			_, err := verifier.verify(ctx, token, acceptedTokens{})
			results <- err
		}()
		<-started
	}
	cancel()
	if err := <-results; !errors.Is(err, ErrCanceled) {
		t.Error(err)
	}
	close(released)
	if err := <-results; err != nil {
		t.Error(err)
	}
	if *loads != 1 {
		t.Errorf("%d loads", *loads)
	}
}
