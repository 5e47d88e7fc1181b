package daikon

import (
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

func readResource(record *daikonv1.ResourcePermissionResponse) *RegisteredResource {
	resource := &RegisteredResource{
		Type:        record.GetResourceType(),
		ID:          record.GetResourceId(),
		ResourceID:  record.GetResourceId(),
		WorkspaceID: record.GetWorkspaceId(),
		OwnerID:     record.GetOwnerId(),
		OwnerName:   record.GetOwnerName(),
		OwnerEmail:  record.GetOwnerEmail(),
		Visibility:  Visibility(record.GetVisibility()),
		Inherits:    record.GetInherits(),
		Attributes:  record.GetAttributes().AsMap(),
		DisplayName: record.GetDisplayName(),
		CreatedAt:   readTime(record.GetCreatedAt()),
	}
	if record.ExternalId != nil {
		resource.ID = record.GetExternalId()
	}
	if parent := record.GetParent(); parent != nil {
		resource.Parent = &ResourceRef{Type: parent.GetResourceType(), ResourceID: parent.GetResourceId()}
	}
	for _, share := range record.GetShares() {
		resource.Shares = append(resource.Shares, *readShare(share))
	}
	for _, ancestor := range record.GetAncestors() {
		resource.Ancestors = append(resource.Ancestors, readAncestor(ancestor))
	}
	return resource
}

func readAncestor(record *daikonv1.InheritedGrants) Ancestor {
	ancestor := Ancestor{
		Type:        record.GetResourceType(),
		ID:          record.GetResourceId(),
		ResourceID:  record.GetResourceId(),
		DisplayName: record.GetDisplayName(),
		OwnerID:     record.GetOwnerId(),
		OwnerName:   record.GetOwnerName(),
		OwnerEmail:  record.GetOwnerEmail(),
		Visibility:  Visibility(record.GetVisibility()),
	}
	if record.ExternalId != nil {
		ancestor.ID = record.GetExternalId()
	}
	for _, share := range record.GetShares() {
		ancestor.Shares = append(ancestor.Shares, *readShare(share))
	}
	return ancestor
}

func readShare(record *daikonv1.ShareResponse) *Share {
	share := &Share{
		ID:         record.GetId(),
		Permission: Permission(record.GetPermission()),
		Role:       ResourceRole(record.GetRole()),
		GrantedBy:  record.GetGrantedBy(),
		GrantedAt:  readTime(record.GetGrantedAt()),
		ExpiresAt:  readTime(record.GetExpiresAt()),
	}
	share.GranteeName, share.GranteeEmail = record.GetGranteeName(), record.GetGranteeEmail()
	if condition := record.GetCondition(); condition != nil {
		share.Condition = &Condition{Name: condition.GetName(), Params: condition.GetParams().AsMap()}
	}
	if record.GetGranteeType() == kindUser {
		share.Grantee.UserID = record.GetGranteeId()
	} else {
		share.Grantee.GroupID = record.GetGranteeId()
	}
	return share
}

// linkRecord is a link, with or without its token.
type linkRecord interface {
	GetId() string
	GetPermission() string
	GetRole() string
	GetName() string
	GetCreatedBy() string
	GetCreatedAt() *timestamppb.Timestamp
	GetExpiresAt() *timestamppb.Timestamp
	GetLastUsedOn() string
	GetCondition() *daikonv1.LinkCondition
}

func readLink(record linkRecord) Link {
	link := Link{
		ID:         record.GetId(),
		Permission: Permission(record.GetPermission()),
		Role:       ResourceRole(record.GetRole()),
		Name:       record.GetName(),
		CreatedBy:  record.GetCreatedBy(),
		CreatedAt:  readTime(record.GetCreatedAt()),
		ExpiresAt:  readTime(record.GetExpiresAt()),
		LastUsedOn: record.GetLastUsedOn(),
	}
	if condition := record.GetCondition(); condition != nil {
		link.Condition = &Condition{Name: condition.GetName(), Params: condition.GetParams().AsMap()}
	}
	return link
}

func readTime(timestamp *timestamppb.Timestamp) time.Time {
	if timestamp == nil {
		return time.Time{}
	}
	return timestamp.AsTime()
}

// readReasons reads context.reasons of an explained evaluation.
func readReasons(context *structpb.Struct) []Reason {
	values := context.GetFields()["reasons"].GetListValue().GetValues()
	reasons := make([]Reason, len(values))
	for index, value := range values {
		fields := value.GetStructValue().GetFields()
		text := func(name string) string { return fields[name].GetStringValue() }
		reasons[index] = Reason{
			Rule:       text("rule"),
			Permission: Permission(text("permission")),
			Role:       text("role"),
			GroupID:    text("group_id"),
			ShareID:    text("share_id"),
			LinkID:     text("link_id"),
			Condition:  text("condition"),

			DelegationID: text("delegation_id"),
			Uncovered:    text("uncovered"),
		}
		if agent := fields["agent"].GetStructValue().GetFields(); agent != nil {
			reasons[index].Agent = &Agent{
				Type: AgentType(agent["type"].GetStringValue()),
				ID:   agent["id"].GetStringValue(),
				Name: agent["name"].GetStringValue(),
			}
		}
		for _, path := range fields["missing"].GetListValue().GetValues() {
			reasons[index].Missing = append(reasons[index].Missing, path.GetStringValue())
		}
		if expiresAt, err := time.Parse(time.RFC3339, text("expires_at")); err == nil {
			reasons[index].ExpiresAt = expiresAt
		}
		if ancestor := fields["inherited_from"].GetStructValue().GetFields(); ancestor != nil {
			reasons[index].InheritedFrom = &ResourceRef{
				Type:       ancestor["resource_type"].GetStringValue(),
				ResourceID: ancestor["resource_id"].GetStringValue(),
			}
		}
		if resourceID := text("resource_id"); resourceID != "" {
			reasons[index].RequiredBy = &ResourceRef{Type: text("resource_type"), ResourceID: resourceID}
		}
	}
	return reasons
}

// readItemError returns the error of an item that the server finds invalid, or that names another service.
func readItemError(context *structpb.Struct) *Error {
	object := context.GetFields()["error"].GetStructValue()
	if object == nil {
		return nil
	}
	reason, message := object.GetFields()["reason"].GetStringValue(), object.GetFields()["message"].GetStringValue()
	if object.GetFields()["status"].GetNumberValue() == 403 && reason != "" {
		return &Error{Code: CodePermissionDenied, Reason: reason, Message: withAdvice(reason, message)}
	}
	err := &Error{Code: CodeInvalidArgument, Reason: "INVALID_REQUEST", Message: "The check is not valid"}
	if message != "" {
		err.Message = message
	}
	for _, value := range object.GetFields()["errors"].GetListValue().GetValues() {
		fields := value.GetStructValue().GetFields()
		err.Fields = append(err.Fields, Field{fields["field"].GetStringValue(), fields["message"].GetStringValue()})
	}
	return err
}
