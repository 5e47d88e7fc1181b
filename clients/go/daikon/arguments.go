package daikon

import (
	"strings"
	"unicode/utf8"

	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

const (
	maxTypeLength  = 200
	maxIDLength    = 255
	maxTokenLength = 16_384
)

// subjectName is a subject in the format of the Access API.
type subjectName struct{ kind, id string }

const (
	kindUser   = "user"
	kindToken  = "access_token"
	kindAPIKey = "api_key"
	kindGroup  = "group"
)

// isAPIKey returns whether a token is meant to be the API key of a service account.
func isAPIKey(token string) bool { return strings.HasPrefix(token, "da_") }

func (s subjectName) message() *daikonv1.AccessSubject {
	return &daikonv1.AccessSubject{Type: s.kind, Id: s.id}
}

// nameSubject checks only that a subject is present and not too long, so that such mistakes fail before they are sent.
// The server checks the rest.
func nameSubject(subject Subject) (subjectName, *Error) {
	userID := subject.UserID + subject.Email + subject.ExternalID
	switch {
	case subject.GroupID != "":
		if userID == "" && subject.Token == "" && isText(subject.GroupID, maxIDLength) {
			return subjectName{kindGroup, subject.GroupID}, nil
		}
	case subject.Token != "":
		if userID == "" && isText(subject.Token, maxTokenLength) {
			if isAPIKey(subject.Token) {
				return subjectName{kindAPIKey, subject.Token}, nil
			}
			return subjectName{kindToken, subject.Token}, nil
		}
	case userID == subject.UserID || userID == subject.Email || userID == subject.ExternalID:
		if isText(userID, maxIDLength) {
			return subjectName{kindUser, userID}, nil
		}
	}
	return subjectName{}, invalidArgument(Field{
		Field: "subject",
		Message: "must have exactly one of Token, UserID, Email, ExternalID and GroupID, with 1 to 255 characters " +
			"(a token at most 16,384)",
	})
}

func requireAction(action string) *Error {
	if isText(action, maxTypeLength) {
		return nil
	}
	return invalidArgument(Field{Field: "action", Message: "must be a string of 1 to 200 characters"})
}

func requireResource(resource Resource) *Error {
	var fields []Field
	if !isText(resource.Type, maxTypeLength) {
		fields = append(fields, Field{Field: "resource.type", Message: "must be a string of 1 to 200 characters"})
	}
	if !isText(resource.ID, maxIDLength) {
		fields = append(fields, Field{Field: "resource.id", Message: "must be a string of 1 to 255 characters"})
	}
	if fields == nil {
		return nil
	}
	return invalidArgument(fields...)
}

func nameGrantee(grantee Grantee) (kind, id string, err *Error) {
	switch {
	case grantee.UserID != "" && grantee.GroupID == "":
		return "user", grantee.UserID, nil
	case grantee.GroupID != "" && grantee.UserID == "":
		return "group", grantee.GroupID, nil
	}
	return "", "", invalidArgument(Field{Field: "grantee", Message: "must have either UserID or GroupID"})
}

// requireToken rejects tokens that gRPC cannot send as metadata.
func requireToken(token string) *Error {
	if isPrintable(token) {
		return nil
	}
	return invalidArgument(Field{Field: "as", Message: "must be an access token"})
}

func isPrintable(text string) bool {
	for index := range len(text) {
		if text[index] < 0x21 || text[index] > 0x7e {
			return false
		}
	}
	return text != ""
}

// isText reports whether text is valid UTF-8 of 1 to maxLength characters. Protocol Buffers cannot encode invalid
// UTF-8, so a single such string would fail a whole batch.
func isText(text string, maxLength int) bool {
	if text == "" || !utf8.ValidString(text) {
		return false
	}
	return len(text) <= maxLength || utf8.RuneCountInString(text) <= maxLength
}
