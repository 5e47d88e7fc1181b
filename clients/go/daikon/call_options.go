package daikon

import "time"

// callOptions are the options of one operation.
type callOptions struct {
	token       string
	input       map[string]any
	expiresAt   time.Time
	condition   *Condition
	name        string
	workspaceID string
	listsGroups bool
	cascade     bool
	inherits    *bool
	dryRun      bool
	audience    *string
	delegated   bool
}

type callOption interface{ apply(*callOptions) }

func readOptions[Option callOption](opts []Option) callOptions {
	if len(opts) == 0 {
		return callOptions{} // settings would be allocated
	}
	var settings callOptions
	for _, option := range opts {
		option.apply(&settings)
	}
	return settings
}

// CheckOption configures [Client.Check], [Client.CheckMany] and [Client.Explain].
type CheckOption interface {
	callOption
	forCheck()
}

// AccessibleOption configures [Client.Accessible].
type AccessibleOption interface {
	callOption
	forAccessible()
}

// SubjectsOption configures [Client.Subjects].
type SubjectsOption interface {
	callOption
	forSubjects()
}

// ChangeOption configures every operation that changes a resource.
type ChangeOption interface {
	ShareOption
	LinkOption
	UnregisterOption
	ParentOption
	forChange()
}

// ShareOption configures [Client.Share].
type ShareOption interface {
	callOption
	forShare()
}

// LinkOption configures [Client.CreateLink].
type LinkOption interface {
	callOption
	forLink()
}

// UnregisterOption configures [Client.Unregister].
type UnregisterOption interface {
	callOption
	forUnregister()
}

// ParentOption configures [Client.SetParent].
type ParentOption interface {
	callOption
	forParent()
}

// DeclareOption configures [Client.DeclareType].
type DeclareOption interface {
	callOption
	forDeclare()
}

// VerifyOption configures [Client.VerifyAccessToken].
type VerifyOption interface {
	callOption
	forVerify()
}

// ContextOption configures every operation that evaluates conditions.
type ContextOption interface {
	CheckOption
	AccessibleOption
	SubjectsOption
	ChangeOption
}

// TermOption configures [Client.Share] and [Client.CreateLink].
type TermOption interface {
	ShareOption
	LinkOption
}

type setting func(*callOptions)

func (s setting) apply(settings *callOptions) { s(settings) }

type changeSetting struct{ setting }

func (changeSetting) forChange()     {}
func (changeSetting) forShare()      {}
func (changeSetting) forLink()       {}
func (changeSetting) forUnregister() {}
func (changeSetting) forParent()     {}

type contextSetting struct{ changeSetting }

func (contextSetting) forCheck()      {}
func (contextSetting) forAccessible() {}
func (contextSetting) forSubjects()   {}

type termSetting struct{ setting }

func (termSetting) forShare() {}
func (termSetting) forLink()  {}

type linkSetting struct{ setting }

func (linkSetting) forLink() {}

type accessibleSetting struct{ setting }

func (accessibleSetting) forAccessible() {}

type subjectsSetting struct{ setting }

func (subjectsSetting) forSubjects() {}

type unregisterSetting struct{ setting }

func (unregisterSetting) forUnregister() {}

type parentSetting struct{ setting }

func (parentSetting) forParent() {}

type declareSetting struct{ setting }

func (declareSetting) forDeclare() {}

type verifySetting struct{ setting }

func (verifySetting) forVerify() {}

// As passes the access token of the user who makes the change. daikon then requires that this user may manage the
// resource. Share and the operations on links require it. Other changes without it are made in the name of your
// service.
func As(token string) ChangeOption {
	return changeSetting{func(o *callOptions) { o.token = token }}
}

// InContext sets what conditions read as context: JSON values by name, at most 16 KiB. With a change, the conditions
// are those that manage requires.
func InContext(values map[string]any) ContextOption {
	return contextSetting{changeSetting{func(o *callOptions) { o.input = values }}}
}

// ExpiresAt sets when a share or link ends.
func ExpiresAt(end time.Time) TermOption {
	return termSetting{func(o *callOptions) { o.expiresAt = end }}
}

// OnlyIf sets the condition under which a share or link counts. By default, it always does.
func OnlyIf(condition Condition) TermOption {
	return termSetting{func(o *callOptions) { o.condition = &condition }}
}

// LinkName sets a name by which people tell links apart.
func LinkName(name string) LinkOption {
	return linkSetting{func(o *callOptions) { o.name = name }}
}

// InWorkspace restricts [Client.Accessible] to one workspace. By default, it lists the resources of all workspaces
// that the subject is a member of.
func InWorkspace(workspaceID string) AccessibleOption {
	return accessibleSetting{func(o *callOptions) { o.workspaceID = workspaceID }}
}

// Groups lists groups instead of users.
func Groups() SubjectsOption {
	return subjectsSetting{func(o *callOptions) { o.listsGroups = true }}
}

// Cascade unregisters everything below the resource, too.
func Cascade() UnregisterOption {
	return unregisterSetting{func(o *callOptions) { o.cascade = true }}
}

// Inherits sets whether the resource inherits the grants of its parent. By default, this does not change.
func Inherits(inherits bool) ParentOption {
	return parentSetting{func(o *callOptions) { o.inherits = &inherits }}
}

// Audience requires a token that is limited to the API with this URI. Such a token says nothing about the person: Email,
// Name and WorkspaceSlug are empty, and Role is viewer.
func Audience(uri string) VerifyOption {
	return verifySetting{func(o *callOptions) { o.audience = &uri }}
}

// Delegated also accepts tokens with which an agent acts for a user, whose claims have Actor and DelegationID. Such a
// token says nothing about the person, see [Audience]. What your code decides without a check, it must decide for the
// agent as well.
func Delegated() VerifyOption {
	return verifySetting{func(o *callOptions) { o.delegated = true }}
}

// DryRun changes nothing, and returns what uses the current declaration.
func DryRun() DeclareOption {
	return declareSetting{func(o *callOptions) { o.dryRun = true }}
}
