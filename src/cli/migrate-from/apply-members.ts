import { invalidArgument, ServiceError } from '../../core/errors.ts'
import type { OnProgress } from '../../core/on-progress.ts'
import { atLeast, type Role } from '../../core/roles.ts'
import { executeCsvImport } from '../../csv-import/import.ts'
import type { OperatorContext } from '../session.ts'
import { requireNoProblems, toViolations } from './place-naming.ts'
import type { Member } from './plan.ts'
import type { Place, Problem } from './tuple.ts'

/** A member whose e-mail address is known. */
type AddressedMember = Member & { email: string }

/** The maximum number of groups in a row of the import. */
const maxGroups = 100

/**
 * Adds members to workspaces and groups through the CSV import. Members who have a higher role keep
 * it.
 *
 * @throws ServiceError `invalid_argument` with the places of unknown users and of those who are in a
 * group but not in its workspace
 */
export async function applyMembers(
  context: OperatorContext,
  members: Member[],
  path: string,
  onProgress: OnProgress,
): Promise<void> {
  if (members.length === 0) return
  const addressed = await addAddresses(context, members, path)
  const roleOf = await findRoles(context, addressed)
  const strangers = addressed.filter((item) => item.role === undefined && !roleOf(item))
  requireNoProblems(
    path,
    strangers.map(({ place, email, workspace }) => ({
      place,
      message: `${email} must be a member of the workspace ${workspace}`,
    })),
  )
  const rows = addressed.flatMap((item) => toRows(item, roleOf(item)))
  const csv = ['email,workspace_slug,role,groups', ...rows.map(({ text }) => text)].join('\n')
  try {
    await executeCsvImport(context, { csv, create_workspaces: true }, onProgress)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.violations.length === 0) throw error
    const problems = error.violations.map(({ field, message }): Problem => {
      const [, line = '2', column = field] = /^csv\[(\d+)\]\.?(.*)$/.exec(field) ?? []
      const place = rows[Number(line) - 2]?.place ?? { line: 1, column: 1 }
      return { place, message: `${column} ${message}`.trim() }
    })
    throw invalidArgument(...toViolations(path, problems))
  }
}

async function addAddresses(
  { stores }: OperatorContext,
  members: Member[],
  path: string,
): Promise<AddressedMember[]> {
  const externalIds = members.flatMap(({ user }) => ('external_id' in user ? user.external_id : []))
  const identified = await stores.imports.findIdentifiedUsers([...new Set(externalIds)])
  const emails = new Map(identified.map(({ externalId, email }) => [externalId, email]))
  const problems: Problem[] = []
  const addressed = members.flatMap((member) => {
    const { user, place } = member
    const email = 'email' in user ? user.email : emails.get(user.external_id)
    if (email !== undefined) return { ...member, email }
    const id = 'external_id' in user ? user.external_id : ''
    problems.push({ place, message: `no user has the external_id ${id}` })
    return []
  })
  requireNoProblems(path, problems)
  return addressed
}

/** Returns a function that finds the present role of a member, which is undefined for others. */
async function findRoles(
  { stores: { imports } }: OperatorContext,
  members: AddressedMember[],
): Promise<(member: AddressedMember) => Role | undefined> {
  const workspaces = await imports.findWorkspaces([
    ...new Set(members.map(({ workspace }) => workspace)),
  ])
  const slugs = new Map(workspaces.map(({ id, slug }) => [id, slug]))
  const users = await imports.findUsers([...new Set(members.map(({ email }) => email))])
  const emails = new Map(users.map(({ id, email }) => [id, email]))
  const memberships = await imports.findMembers([...emails.keys()])
  const roles = new Map(
    memberships.map(({ userId, workspaceId, role }) => [
      `${slugs.get(workspaceId)} ${emails.get(userId)}`,
      role,
    ]),
  )
  return ({ workspace, email }) => roles.get(`${workspace} ${email}`)
}

/** Returns the rows of a member in the CSV file. */
function toRows(
  { place, email, workspace, role, groups }: AddressedMember,
  present: Role | undefined,
): { place: Place; text: string }[] {
  const isRaised = role !== undefined && !(present && atLeast(present, role))
  const names = [...new Set(groups)]
  const chunks = Array.from({ length: Math.ceil(names.length / maxGroups) || 1 }, (_, index) =>
    names.slice(index * maxGroups, (index + 1) * maxGroups),
  )
  return chunks.map((chunk) => ({
    place,
    text: [email, workspace, isRaised ? role : '', chunk.join(';')].map(quote).join(','),
  }))
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
