import { normalizeEmail } from '../../core/email.ts'
import { type Role, roles } from '../../core/roles.ts'
import type { CellError, Row } from './plan.ts'

/** The columns of a file. */
export const columns = ['email', 'name', 'workspace_slug', 'role', 'groups'] as const

export type Column = (typeof columns)[number]

const mostCharacters = 200
const mostGroups = 100

/** Reads the cells of a record under the file's columns; what is wrong with any is an error of the row. */
export function readRow(line: number, cells: string[], header: Column[]): Row {
  const errors: CellError[] = []
  const cell = (column: Column) => cells[header.indexOf(column)]?.trim() ?? ''
  const written = cell('email')
  const row: Row = {
    ...{ line, email: written, name: '', slug: '', role: '', groups: [], errors },
  }
  const complain = (field: Column | '', message: string) => errors.push({ field, message })
  if (cells.length !== header.length) {
    complain('', `has ${cells.length} cells where the header has ${header.length}`)
    return row
  }
  for (const [at, column] of header.entries()) {
    if (/\p{Cc}/u.test(cells[at] ?? '')) complain(column, 'must have no control characters')
  }
  if (errors.length > 0) return row

  const email = normalizeEmail(written)
  if (email) row.email = email
  else complain('email', written ? 'must be an e-mail address' : 'is required')

  row.name = cell('name')
  if (isLong(row.name)) complain('name', `must have ${mostCharacters} characters at most`)

  row.slug = cell('workspace_slug')
  if (!row.slug) complain('workspace_slug', 'is required')

  const role = cell('role')
  if (role === '' || isRole(role)) row.role = role
  else complain('role', `must be one of ${roles.join(', ')}`)

  const groups = cell('groups')
    .split(';')
    .map((name) => name.trim())
  row.groups = [...new Set(groups.filter((name) => name !== ''))]
  if (row.groups.length > mostGroups) complain('groups', `must be ${mostGroups} at most`)
  if (row.groups.some(isLong))
    complain('groups', `must have ${mostCharacters} characters each at most`)
  return row
}

function isRole(text: string): text is Role {
  return roles.some((role) => role === text)
}

function isLong(text: string): boolean {
  return text.length > mostCharacters && [...text].length > mostCharacters
}
