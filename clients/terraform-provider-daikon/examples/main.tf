# A customer's workspace, and the service, app and webhook that work with it. The management app needs the scopes
# workspaces:write, permissions:write, apps:write, webhooks:write and, for the data source of a user, users:read.
# Set DAIKON_URL, DAIKON_CLIENT_ID and DAIKON_CLIENT_SECRET.

terraform {
  required_providers {
    daikon = {
      source = "daikon-auth/daikon"
    }
  }
}

provider "daikon" {}

variable "webhook_url" {
  type    = string
  default = "https://hooks.acme.example/daikon"
}

variable "consultant_until" {
  type        = string
  default     = null
  description = "When the consultant leaves, as in 2027-12-31T00:00:00Z."
}

# The service. It registers its action "publish" itself, or with PUT /admin/service-actions.
resource "daikon_service_app" "documents" {
  name         = "Documents"
  service_name = "docs"
}

data "daikon_service_actions" "documents" {
  service_name = daikon_service_app.documents.service_name
}

resource "daikon_resource_type" "document" {
  service_name  = daikon_service_app.documents.service_name
  resource_type = "document"
  allow_public  = true
  roles = [{
    name    = "reviewer"
    actions = ["view", "publish"]
  }]
  conditions = [{
    name       = "small"
    expression = "context.amount <= params.limit"
    parameters = { limit = "int" }
    }, {
    name       = "office"
    expression = "in_cidr(context.ip, '10.0.0.0/8')"
  }]
  requirements = [{
    action    = "edit"
    condition = "office"
  }]
}

# The workspace with an owner and an editor. Destroying the workspace removes its owner as well.
resource "daikon_workspace" "acme" {
  slug        = "acme"
  name        = "Acme"
  description = "A customer"
}

resource "daikon_member" "owner" {
  workspace_id    = daikon_workspace.acme.id
  email           = "Alice@acme.example"
  role            = "owner"
  keep_last_owner = true
}

data "daikon_user" "consultant" {
  email = "bob@consulting.example"
}

resource "daikon_member" "consultant" {
  workspace_id = daikon_workspace.acme.id
  user_id      = data.daikon_user.consultant.id
  role         = "editor"
  expires_at   = var.consultant_until
}

resource "daikon_group" "staff" {
  workspace_id = daikon_workspace.acme.id
  name         = "Staff"
  member_ids   = [daikon_member.owner.user_id]
}

resource "daikon_group" "writers" {
  workspace_id    = daikon_workspace.acme.id
  name            = "Writers"
  member_ids      = [daikon_member.consultant.user_id]
  child_group_ids = [daikon_group.staff.id]
}

resource "daikon_role" "publisher" {
  workspace_id       = daikon_workspace.acme.id
  name               = "Publisher"
  service_action_ids = [data.daikon_service_actions.documents.ids["publish"]]
  member_ids         = [daikon_member.owner.user_id]
  group_ids          = [daikon_group.writers.id]
}

# The app that its members sign in to.
resource "daikon_client_app" "portal" {
  name                      = "Portal"
  type                      = "confidential"
  redirect_uris             = ["https://portal.acme.example/callback"]
  post_logout_redirect_uris = ["https://portal.acme.example/"]
  workspace_id              = daikon_workspace.acme.id
}

resource "daikon_webhook" "members" {
  url          = var.webhook_url
  events       = ["member.*"]
  workspace_id = daikon_workspace.acme.id
}

# Secrets are in the state, which you must protect.
output "service_key" {
  value     = daikon_service_app.documents.key
  sensitive = true
}

output "client_secret" {
  value     = daikon_client_app.portal.client_secret
  sensitive = true
}

output "webhook_secret" {
  value     = daikon_webhook.members.secret
  sensitive = true
}
