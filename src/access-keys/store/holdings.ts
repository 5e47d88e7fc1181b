import { startFactsEpoch } from '../../database/facts-epoch.ts'
import type { Statements } from '../../database/statement-pool.ts'
import { builtInActions } from '../../permissions/access.ts'
import { statusBit } from '../../permissions/engine/bits.ts'
import { subjectParameters } from '../../permissions/engine/parameters.ts'
import type { Kind, Subject } from '../../permissions/engine/question.ts'
import { askOfSubjects } from '../../permissions/engine/statements/checks.ts'
import { mayBeRequired } from '../../permissions/engine/statements/requirements.ts'
import { hasRoleSql } from '../../permissions/engine/statements/status.ts'
import {
  kindOf,
  type SubjectKindName,
  statementName,
  subjectKinds,
} from '../../permissions/engine/subjects/subject-kinds.ts'
import type { HeldMembership, Holdings } from '../held-keys.ts'

/** Holdings, and what the answer says beside the keys. */
export type LoadedHoldings = Holdings & {
  /** The secret of the service, undefined before its first use. */
  secret: Buffer | undefined
  /** When the first membership ends. */
  validUntil: Date | undefined
  /** The history of transactions, and the first one that the statement may not have seen. Null on a standby. */
  identity: string | null
  firstRunning: number
}

/** Loads what the keys of a subject follow from; only in `workspaceId` if it is set. */
export type LoadHoldings = (
  subject: Subject,
  asked: Kind & { action: string },
  workspaceId: string | undefined,
) => Promise<LoadedHoldings>

/**
 * | $1 to $5 | one subject, as in `engine/statements/checks.ts` |
 * | $6 to $8 | service, resource type, action                   |
 * | $9       | the only workspace, or null                      |
 *
 * Returns one row: the status of the subject as bits, its memberships, the roles of the service, and facts
 * about the action.
 */
export const holdingsSql = askOfSubjects(
  () => `select subject.status,
  (
    select json_agg(json_build_object('workspaceId', m.workspace_id, 'subjectId', m.user_id,
      'role', m.role, 'isGuest', m.is_guest, 'expiresAt', m.expires_at,
      'groupIds', array(
        select g.group_id from group_members g
        where g.user_id = m.user_id and g.workspace_id = m.workspace_id
      ),
      'isGranted', exists (
        select from service_actions sa where sa.service_name = $6 and sa.name = $8
          and ${hasRoleSql('sa.id', 'm.user_id', 'm.workspace_id')}
      )))
    from live_members m
    where m.user_id = subject.user_id and ($9::uuid is null or m.workspace_id = $9)
  ),
  (
    select json_agg(json_build_object('resourceType', k.resource_type, 'name', role.name,
      'actions', role.actions))
    from resource_kinds k join resource_roles role on role.kind_id = k.id
    where k.service_name = $6
  ),
  exists (select from service_actions where service_name = $6 and name = $8),
  exists (select from resource_types t where t.kind_id = asked.kind_id and t.allow_public),
  ${mayBeRequired({ kindId: 'asked.kind_id', service: '$6' }, '$8')},
  ${mayBeRequired({ kindId: 'asked.kind_id', service: '$6' }, "'view'")},
  (select encode(secret, 'base64') from access_key_secrets where service_name = $6),
  pg_is_in_recovery(), facts_identity(), pg_snapshot_xmin(pg_current_snapshot())::text::float8
from subject cross join (
  select (
    select id from resource_kinds where service_name = $6 and resource_type = $7
  ) as kind_id
) asked`,
)

type MembershipRow = HeldMembership & { expiresAt: string | null }

type Row = [
  status: number,
  memberships: MembershipRow[] | null,
  roles: Holdings['roles'] | null,
  isRegistered: boolean,
  allowsPublic: boolean,
  isRequired: boolean,
  isViewRequired: boolean,
  secret: string | null,
  isStandby: boolean,
  identity: string | null,
  firstRunning: number,
]

export function createLoadHoldings(statements: Statements): LoadHoldings {
  return async (subject, { serviceName, resourceType, action }, workspaceId) => {
    const kind = kindOf(subject)
    const values = [
      ...subjectParameters([subject]),
      ...[serviceName, resourceType, action, workspaceId],
    ]
    let row = await readRow(statements, kind, values)
    // After a crash of PostgreSQL, the first reader starts the new history.
    if (!row.isStandby && row.identity === null) {
      await startFactsEpoch(statements).catch(() => {})
      row = await readRow(statements, kind, values)
    }
    const { ignoredBits } = subjectKinds[kind]
    const bits = row.status & ~ignoredBits
    const isActive = (bits & (statusBit.active | statusBit.denied)) === statusBit.active
    const memberships = isActive ? (row.memberships ?? []) : []
    return {
      action,
      isRegistered: row.isRegistered && !builtInActions.includes(action),
      allowsPublic: row.allowsPublic,
      isRequired: row.isRequired,
      isViewRequired: row.isViewRequired,
      roles: row.roles ?? [],
      isEverybody: isActive || (bits & statusBit.anonymous) !== 0,
      ignoredBits,
      memberships,
      secret: row.secret === null ? undefined : Buffer.from(row.secret, 'base64'),
      validUntil: firstEnd(memberships),
      identity: row.identity,
      firstRunning: row.firstRunning,
    }
  }
}

async function readRow(statements: Statements, kind: SubjectKindName, values: unknown[]) {
  const name = statementName('access keys', kind)
  const [row] = await statements.rows<Row>(name, holdingsSql[kind], values)
  if (!row) throw new Error('The statement of access keys returned no row')
  const [
    status,
    memberships,
    roles,
    isRegistered,
    allowsPublic,
    isRequired,
    isViewRequired,
    secret,
    isStandby,
    identity,
    firstRunning,
  ] = row
  return {
    status,
    memberships,
    roles,
    isRegistered,
    allowsPublic,
    isRequired,
    isViewRequired,
    secret,
    isStandby,
    identity,
    firstRunning,
  }
}

function firstEnd(memberships: MembershipRow[]): Date | undefined {
  const ends = memberships.flatMap(({ expiresAt }) =>
    expiresAt === null ? [] : [new Date(expiresAt).getTime()],
  )
  return ends.length === 0 ? undefined : new Date(Math.min(...ends))
}
