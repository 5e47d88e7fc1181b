import { describeRole } from '../workspaces/roles.ts'

/** A value in the detail of an entry, by how it is shown. */
export type DetailValue =
  | { kind: 'object'; id: string }
  | { kind: 'time'; time: string }
  | { kind: 'text'; text: string }

/** A field of the detail. A row of the log shows only the fields that say something new. */
export type DetailField = { name: string; label: string; values: DetailValue[]; isMain: boolean }

/** A value before and after the event. */
export type DetailChange = { label: string; from: DetailValue; to: DetailValue }

type Entry = {
  action: string
  target_id: string | null
  detail: Record<string, unknown> | null
}

/** Which value changed, for events whose detail has the value before and after. */
const changed: Record<string, string> = {
  'member.expiry_changed': 'Ends',
  'member.role_changed': 'Role',
  'permission.owner_changed': 'Owner',
  'permission.parent_changed': 'Parent',
  'permission.visibility_changed': 'Visibility',
  'user.renamed': 'Name',
  'workspace.slug_changed': 'Slug',
}

/** The names of fields that people would not understand. The most important fields come first. */
const labels: Record<string, string> = {
  permission: 'Permission',
  role: 'Role',
  grantee_id: 'With',
  user_id: 'Person',
  user_ids: 'People',
  child_id: 'Child group',
  group_id: 'Group',
  action: 'Action',
  added: 'Added',
  removed: 'Removed',
  expires_at: 'Ends',
  service_name: 'Service',
  key_prefix: 'Key',
  secret_prefix: 'Secret',
  redirect_uris: 'Redirect URIs',
  pkce_required: 'PKCE required',
  client_id: 'Client ID',
}

const order = Object.keys(labels)

/** What identifies the target of an entry or is part of its name. */
const identifying = /^(name|email|slug|grantee_type|resource_type|resource_id|service_name)$/

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Returns what changed from what to what, and the other fields of the detail. */
export function readDetail({ action, target_id, detail }: Entry): {
  change: DetailChange | undefined
  fields: DetailField[]
} {
  const { from, to, ...others } = detail ?? {}
  const label = changed[action] ?? 'Value'
  const change =
    from === undefined || to === undefined
      ? undefined
      : { label, from: readValue(label, from), to: readValue(label, to) }
  const fields = Object.entries(others)
    .filter(([, value]) => value !== null && value !== '' && value !== 'none')
    .map(([name, value]) => {
      const label = labels[name] ?? toLabel(name)
      const values = readList(value).map((item) => readValue(label, item))
      const isImplied = value === 'never' || (target_id !== null && identifying.test(name))
      return { name, label, values, isMain: !isImplied }
    })
  return { change, fields: fields.toSorted((a, b) => rank(a) - rank(b)) }
}

function rank({ name }: DetailField): number {
  const index = order.indexOf(name)
  return index < 0 ? order.length : index
}

function toLabel(name: string): string {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Returns the IDs in a list, whatever separates them, or the value itself. */
function readList(value: unknown): unknown[] {
  if (typeof value !== 'string') return [value]
  const items = value.split(/[\s,]+/)
  return items.length > 1 && items.every((item) => uuid.test(item)) ? items : [value]
}

function readValue(label: string, value: unknown): DetailValue {
  if (typeof value !== 'string') return { kind: 'text', text: JSON.stringify(value) }
  if (uuid.test(value)) return { kind: 'object', id: value }
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return { kind: 'time', time: value }
  if (label === 'Role') return { kind: 'text', text: describeRole(value) }
  const isWord = label === 'Visibility' || value === 'never' || value === 'none'
  return { kind: 'text', text: isWord ? toLabel(value) : value }
}
