import { controlCharacters, isBlank } from '../core/control-characters.ts'
import { normalizeEmail } from '../core/email.ts'
import { isExternalId } from '../core/external-id.ts'
import { type Role, roles } from '../core/roles.ts'
import type { CellError, Row } from './plan-input.ts'

/** The columns that a file may contain. */
export const columns = [
  'email',
  'name',
  'workspace_slug',
  'role',
  'groups',
  'external_id',
  'guest',
] as const

export type Column = (typeof columns)[number]

const controlCharacter = new RegExp(`[${controlCharacters}]`, 'u')
const maxLength = 200
const maxGroups = 100
const maxExternalIdLength = 255

/** Reads the cells of a record. Invalid cells become errors of the row. */
export function readRow(line: number, cells: string[], header: Column[]): Row {
  const errors: CellError[] = []
  const cell = (column: Column) => cells[header.indexOf(column)]?.trim() ?? ''
  const emailCell = cell('email')
  const row: Row = {
    line,
    email: emailCell,
    name: '',
    slug: '',
    role: '',
    groups: [],
    externalId: '',
    guest: '',
    errors,
  }
  const addError = (field: Column | '', message: string) => errors.push({ field, message })
  if (cells.length !== header.length) {
    addError('', `has ${cells.length} cells, but the header has ${header.length}`)
    return row
  }
  for (const [index, column] of header.entries()) {
    if (controlCharacter.test(cells[index] ?? ''))
      addError(column, 'must not contain control characters')
  }
  if (errors.length > 0) return row

  const email = normalizeEmail(emailCell)
  if (email) row.email = email
  else addError('email', emailCell ? 'must be an e-mail address' : 'is required')

  row.name = cell('name')
  if (isTooLong(row.name, maxLength))
    addError('name', `must be at most ${maxLength} characters long`)
  else if (row.name !== '' && isBlank(row.name)) addError('name', 'must not be blank')

  row.slug = cell('workspace_slug')
  if (!row.slug) addError('workspace_slug', 'is required')

  const role = cell('role')
  if (role === '' || isRole(role)) row.role = role
  else addError('role', `must be one of ${roles.join(', ')}`)

  const groups = cell('groups')
    .split(';')
    .map((name) => name.trim())
  row.groups = [...new Set(groups.filter((name) => name !== ''))]
  if (row.groups.length > maxGroups) addError('groups', `must contain at most ${maxGroups} items`)
  if (row.groups.some((name) => isTooLong(name, maxLength))) {
    addError('groups', `must contain names of at most ${maxLength} characters each`)
  }

  if (row.groups.some(isBlank)) addError('groups', 'must not contain blank names')

  row.externalId = cell('external_id')
  if (isTooLong(row.externalId, maxExternalIdLength))
    addError('external_id', `must be at most ${maxExternalIdLength} characters long`)
  if (row.externalId && !isExternalId(row.externalId))
    addError('external_id', 'must not be in the form of a UUID or an e-mail address')

  const guest = cell('guest')
  if (guest === '' || guest === 'true' || guest === 'false') row.guest = guest
  else addError('guest', 'must be true, false or empty')
  return row
}

function isRole(text: string): text is Role {
  return roles.some((role) => role === text)
}

/** Counts characters, not UTF-16 units. */
function isTooLong(text: string, maxLength: number): boolean {
  return text.length > maxLength && [...text].length > maxLength
}
