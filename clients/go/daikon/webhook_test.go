package daikon

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"
)

const webhookBody = `{"type":"member.removed","timestamp":"2026-01-01T00:00:00Z","position":7,"data":{"a":1}}`

func signedHeader(key []byte, at time.Time) http.Header {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "id.%d.%s", at.Unix(), webhookBody)
	header := http.Header{}
	header.Set("webhook-id", "id")
	header.Set("webhook-timestamp", fmt.Sprint(at.Unix()))
	header.Set("webhook-signature", "v1,other v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return header
}

func TestVerifyWebhook(t *testing.T) {
	key := []byte("0123456789abcdef0123456789abcdef")
	secret := "whsec_" + base64.StdEncoding.EncodeToString(key)
	other := "whsec_" + base64.StdEncoding.EncodeToString([]byte("another key"))
	now := time.Now()
	event, err := VerifyWebhook(signedHeader(key, now), []byte(webhookBody), other, secret)
	if err != nil || event.ID != "id" || event.Type != "member.removed" || event.Position != 7 {
		t.Fatalf("got %+v, %v", event, err)
	}
	withoutSignature := signedHeader(key, now)
	withoutSignature.Del("webhook-signature")
	for name, request := range map[string]struct {
		header http.Header
		body   string
		secret string
	}{
		"another secret": {signedHeader(key, now), webhookBody, other},
		"another body":   {signedHeader(key, now), webhookBody + " ", secret},
		"too old":        {signedHeader(key, now.Add(-6*time.Minute)), webhookBody, secret},
		"in the future":  {signedHeader(key, now.Add(6*time.Minute)), webhookBody, secret},
		"no signature":   {withoutSignature, webhookBody, secret},
	} {
		_, err := VerifyWebhook(request.header, []byte(request.body), request.secret)
		if !errors.Is(err, ErrInvalidWebhook) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
