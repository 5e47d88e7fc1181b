package daikon

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ErrInvalidWebhook is the error of a request that daikon has not sent, or too long ago.
var ErrInvalidWebhook = errors.New("daikon: invalid webhook")

// A WebhookEvent is an event that daikon has sent to a webhook.
type WebhookEvent struct {
	// ID is the same for every attempt to deliver the event.
	ID string `json:"-"`
	// Type is the action of the event, such as permission.shared, or webhook.test.
	Type string `json:"type"`
	// Timestamp is when the event occurred.
	Timestamp time.Time `json:"timestamp"`
	// Position is the position of the event in the activity log; 0 for webhook.test.
	Position int64 `json:"position"`
	// Data is the entry of the activity log.
	Data json.RawMessage `json:"data"`
}

// webhookTolerance is how much the clocks of daikon and this machine may differ.
const webhookTolerance = 5 * time.Minute

// VerifyWebhook verifies a request to a webhook (Standard Webhooks) and returns its event. Pass the
// secrets of the webhook, which begin with whsec_, and the body exactly as it was received: JSON that
// is parsed and formatted again has other bytes.
//
// The error is ErrInvalidWebhook if daikon has not sent the request, or too long ago.
func VerifyWebhook(header http.Header, body []byte, secrets ...string) (*WebhookEvent, error) {
	id := header.Get("webhook-id")
	timestamp := header.Get("webhook-timestamp")
	if id == "" || header.Get("webhook-signature") == "" {
		return nil, fmt.Errorf("%w: a header is missing", ErrInvalidWebhook)
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > webhookTolerance {
		return nil, fmt.Errorf("%w: it is too old, or the clock of this machine is wrong", ErrInvalidWebhook)
	}
	isSigned := false
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) == 0 {
			return nil, errors.New("daikon: the secret of the webhook has an invalid format")
		}
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.", id, timestamp)
		mac.Write(body)
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, signature := range strings.Split(header.Get("webhook-signature"), " ") {
			isSigned = isSigned || hmac.Equal([]byte(signature), []byte(expected))
		}
	}
	if !isSigned {
		return nil, fmt.Errorf("%w: the signature is not valid", ErrInvalidWebhook)
	}
	event := WebhookEvent{ID: id}
	if err := json.Unmarshal(body, &event); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrInvalidWebhook, err)
	}
	return &event, nil
}
