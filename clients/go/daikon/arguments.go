package daikon

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

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
	kindUser       = "user"
	kindToken      = "access_token"
	kindAPIKey     = "api_key"
	kindGroup      = "group"
	kindLink       = "link"
	kindDelegation = "delegation"
	kindAnonymous  = "anonymous"
)

// isAPIKey returns whether a token is meant to be the API key of a service account.
func isAPIKey(token string) bool { return strings.HasPrefix(token, "da_") }

func (s subjectName) message() *daikonv1.AccessSubject {
	return &daikonv1.AccessSubject{Type: s.kind, Id: s.id}
}

// nameSubject checks only that a subject is present and not too long, so that such mistakes fail before they are sent.
// The server checks the rest.
func nameSubject(subject *Subject) (subjectName, *Error) {
	var name subjectName
	count := 0
	add := func(kind, id string) {
		if id != "" {
			name = subjectName{kind, id}
			count++
		}
	}
	add(kindToken, subject.Token)
	add(kindAPIKey, subject.APIKey)
	add(kindLink, subject.Link)
	add(kindUser, subject.UserID)
	add(kindUser, subject.Email)
	add(kindUser, subject.ExternalID)
	add(kindGroup, subject.GroupID)
	add(kindDelegation, subject.Delegation)
	if subject.Anonymous {
		add(kindAnonymous, kindAnonymous)
	}
	if count == 1 {
		maxLength := maxIDLength
		switch name.kind {
		case kindToken, kindAPIKey, kindLink:
			maxLength = maxTokenLength
		}
		if name.kind == kindToken && isAPIKey(name.id) {
			name.kind = kindAPIKey
		}
		if isText(name.id, maxLength) {
			return name, nil
		}
	}
	return subjectName{}, invalidArgument(Field{
		Field: "subject",
		Message: "must have exactly one of Token, APIKey, UserID, Email, ExternalID, GroupID, Link and Delegation, with 1 " +
			"to 255 characters (Token, APIKey and Link at most 16,384), or Anonymous",
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

func requireType(resourceType string) *Error {
	return requireResource(Resource{Type: resourceType, ID: "-"})
}

// granteeName contains the fields that name a grantee in the API. Those that are nil or empty are absent.
type granteeName struct {
	kind, id, email, externalID, group *string
}

func nameGrantee(grantee Grantee) (granteeName, *Error) {
	var names []granteeName
	add := func(value string, name granteeName) {
		if value != "" {
			names = append(names, name)
		}
	}
	user, group := kindUser, kindGroup
	add(grantee.UserID, granteeName{kind: &user, id: &grantee.UserID})
	add(grantee.GroupID, granteeName{kind: &group, id: &grantee.GroupID})
	add(grantee.Email, granteeName{email: &grantee.Email})
	add(grantee.ExternalID, granteeName{externalID: &grantee.ExternalID})
	add(grantee.Group, granteeName{group: &grantee.Group})
	if len(names) == 1 {
		return names[0], nil
	}
	message := "must have exactly one of UserID, Email, ExternalID, GroupID and Group"
	return granteeName{}, invalidArgument(Field{Field: "grantee", Message: message})
}

func text(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

// optional returns nil for an empty text.
func optional(value string) *string {
	if value == "" {
		return nil
	}
	return &value
}

// encodeObject returns an object as JSON; nothing for nil.
func encodeObject(name string, object map[string]any) (string, error) {
	if object == nil {
		return "", nil
	}
	encoded, err := json.Marshal(object)
	if err != nil {
		return "", invalidArgument(Field{Field: name, Message: "must contain only JSON values: " + err.Error()})
	}
	return string(encoded), nil
}

// decodeStruct returns the JSON of an object as a message; nil for none.
func decodeStruct(name, encoded string) (*structpb.Struct, error) {
	if encoded == "" {
		return nil, nil
	}
	message := &structpb.Struct{}
	if err := protojson.Unmarshal([]byte(encoded), message); err != nil {
		return nil, invalidArgument(Field{Field: name, Message: "must contain only JSON values: " + err.Error()})
	}
	return message, nil
}

// newStruct returns an object as a message; nil for nil.
func newStruct(name string, object map[string]any) (*structpb.Struct, error) {
	encoded, err := encodeObject(name, object)
	if err != nil {
		return nil, err
	}
	return decodeStruct(name, encoded)
}

// searchContext returns the context of a search.
func searchContext(settings callOptions) (*structpb.Struct, error) {
	input, err := newStruct("context", settings.input)
	if err != nil || settings.workspaceID == "" {
		return input, err
	}
	if input == nil {
		input = &structpb.Struct{}
	}
	if input.Fields == nil {
		input.Fields = map[string]*structpb.Value{}
	}
	input.Fields["workspace_id"] = structpb.NewStringValue(settings.workspaceID)
	return input, nil
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
