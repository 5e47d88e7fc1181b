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
