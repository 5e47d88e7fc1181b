import { describeQuota, type QuotaName, type Quotas } from '../core/quotas.ts'
import { type CellError, keyOf, type Row, type Snapshot } from './plan-input.ts'

/**
 * Adds the members and groups that a row creates to the usage of its workspace. If that exceeds a
 * quota, returns errors and changes nothing.
 */
export function useQuotas(
  { usage, groups }: Snapshot,
  quotas: Quotas,
  { slug, groups: names }: Row,
  isNew: boolean,
): CellError[] {
  const newGroups = names.filter((name) => !groups.has(keyOf(slug, name))).length
  const newMembers = Number(isNew)
  if (newGroups + newMembers === 0) return []
  const before = usage.get(slug) ?? { members: 0, invitations: 0, groups: 0 }
  const after = {
    members: before.members + newMembers,
    invitations: before.invitations + newMembers,
    groups: before.groups + newGroups,
  }
  const exceeded: CellError[] = []
  const check = (field: string, used: number, added: number, name: QuotaName) => {
    if (added === 0 || used <= quotas[name]) return
    exceeded.push({ field, message: `exceeds ${describeQuota(quotas, name)}` })
  }
  check('email', after.members, newMembers, 'MAX_MEMBERS_PER_WORKSPACE')
  check('email', after.invitations, newMembers, 'MAX_PENDING_INVITATIONS_PER_WORKSPACE')
  check('groups', after.groups, newGroups, 'MAX_GROUPS_PER_WORKSPACE')
  if (exceeded.length === 0) usage.set(slug, after)
  return exceeded
}
