import { isInLiveTree } from '../../../database/deleted-rows.ts'
import { builtInActions, grant } from '../../access.ts'
import { membershipBitsSql } from '../bits.ts'
import { type Ancestry, ancestorCte, grantColumns } from '../chain.ts'
import type { GroupLookup } from '../grants/grant-kind.ts'
import { partsOf } from '../grants/grant-kinds.ts'
import { askedColumns, resourceColumns, subjectColumns } from '../grants/offered-columns.ts'
import { type Ctes, toSql } from '../statement.ts'
import type { SubjectKind } from '../subjects/subject-kind.ts'
import { ofEachKind, type SubjectKindName } from '../subjects/subject-kinds.ts'
import {
  conditionColumns,
  hasInheritedRequirement,
  hasOwnRequirement,
  storedResource,
} from './requirements.ts'
import { actionBitsSql, statusJoins, statusSql } from './status.ts'

/*
 * Parameters of statements about checks, each an array:
 *
 * | $1 to $5   | subjects: token, user, workspace, external ID, e-mail address     |
 * | $6, $7     | kinds: service, resource type                                     |
 * | $8 to $11  | checks: position of the subject and the kind, resource, action    |
 * | $12        | hashes of service keys                                            |
 *
 * Checks refer to subjects and kinds by their position, from 1, so that each is sent once. An action is
 * null if it is built in, unless subjects of the kind have a coverage. Whether Carol may view and publish a document, and the public view it, is:
 *
 * | $1 to $5   | {null,null}, {carol,null}, {demo,null}, {}, {}                    |
 * | $6, $7     | {docs}, {document}                                                |
 * | $8 to $11  | {1,1,2}, {1,1,1}, {roadmap,roadmap,roadmap}, {null,publish,null}  |
 */

/**
 * The CTEs `subject`, the user and the status of each subject, and `subjects`, the same as arrays in
 * one row. Each subject is named by at most one of user ID, external ID and e-mail address.
 */
function subjectCtes({ coverage }: SubjectKind): Ctes {
  return {
    subject: `
  select q.position, u.id as user_id, q.workspace_id, ${statusSql} as status${coverage ? ', q.subject_id' : ''}
  from (
    ${coverage ? coverage.resolve(named) : users}
    offset 0
  ) q
  ${statusJoins}`,
    subjects: `
  select array_agg(user_id order by position) as user_ids,
    array_agg(workspace_id order by position) as workspace_ids,
    array_agg(status order by position) as statuses${coverage ? ', array_agg(subject_id order by position) as subject_ids' : ''}
  from subject`,
  }
}

const named = `unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[]) with ordinality
      named(token_id, user_id, workspace_id, external_id, email, position)`

const users = `select named.token_id, named.workspace_id, named.position, coalesce(
      named.user_id,
      (select id from users where users.external_id = named.external_id),
      (select id from users where users.email = named.email)
    ) as user_id
    from ${named}`

/**
 * Returns the statement for each kind of subject. It can read `subject`, `subjects` and the CTEs that
 * are given.
 */
export function askOfSubjects(
  select: (kind: SubjectKind) => string,
  ctes: Ctes = {},
): Record<SubjectKindName, string> {
  return ofEachKind((_, kind) =>
    toSql({
      ctes: { ...kind.tables('$2::uuid[]'), ...subjectCtes(kind), ...ctes },
      select: select(kind),
    }),
  )
}

/** Returns SQL for the IDs of the users of all subjects, if some have another name than their ID. */
export function namedUserIds({ coverage }: SubjectKind): string {
  const isNamed = coverage ? '' : " where $4::text[] <> '{}' or $5::text[] <> '{}'"
  return `(
    select user_ids::text from subjects${isNamed}
  )`
}

/**
 * Returns the column `action` of the check `item`, which is null if the action is built in. A coverage
 * also reads the action that is asked and the subject, as `asked_action` and `subject_id`.
 */
export function actionColumns({ coverage }: SubjectKind): string {
  if (!coverage) return 'item.action'
  return `case when item.action in ('${builtInActions.join("', '")}') then null else item.action end
      as action, item.action as asked_action, subjects.subject_ids[item.subject] as subject_id`
}

/** Returns SQL that adds the bits of a coverage, if there is one, to those of a check. */
export function withCoverage(bits: string, coverage: string | undefined): string {
  return coverage === undefined ? bits : `${bits}\n  | ${coverage}`
}

/**
 * Returns a FROM clause with a row for each check: the check as it was asked `i`, the resource `r`, null if it
 * is unknown, and the subject and the action `q`.
 *
 * | the resource is                     | `r`      | `q.is_outside` | `q.user_id`, `q.workspace_id`   |
 * | ----------------------------------- | -------- | -------------- | ------------------------------- |
 * | in the workspace of the subject     | resource | false          | the user, that workspace        |
 * | anywhere, of an unlimited subject   | resource | null           | the user, its workspace         |
 * | elsewhere, and can be public        | resource | true           | the same, or both null with     |
 * |                                     |          |                | ancestors: no other grant counts |
 * | elsewhere, or not registered        | null     | null           | the user, null                  |
 */
export function checksFrom(ancestry: Ancestry, kind: SubjectKind): string {
  const inside = (column: string) =>
    ancestry === 'ownGrants'
      ? column
      : `case when r.workspace_id <> i.workspace_id then null else ${column} end`
  const userId = inside('i.user_id')
  const workspaceId = inside('r.workspace_id')
  const type = kind.coverage ? '\n    ($7::text[])[item.kind] as type,' : ''
  return `(
  select
    subjects.user_ids[item.subject] as user_id,
    subjects.statuses[item.subject] as status,
    subjects.workspace_ids[item.subject] as workspace_id,
    ($6::text[])[item.kind] as service,${type}
    (array(
      select k.id
      from unnest($6::text[], $7::text[]) with ordinality kind(service, type, position)
      left join resource_kinds k
        on k.service_name = kind.service and k.resource_type = kind.type
      order by kind.position
    ))[item.kind] as kind_id,
    (array(
      select case when ${hasOwnRequirement('k.id')} then ${grant.barred} else 0 end
      from unnest($6::text[], $7::text[]) with ordinality kind(service, type, position)
      left join resource_kinds k
        on k.service_name = kind.service and k.resource_type = kind.type
      order by kind.position
    ))[item.kind] as barred,
    (array(
      select case when ${hasInheritedRequirement('service')} then ${grant.barred} else 0 end
      from unnest($6::text[]) with ordinality kind(service, position) order by position
    ))[item.kind] as barred_below,
    item.resource, ${actionColumns(kind)}, item.position
  from subjects, unnest($8::int[], $9::int[], $10::uuid[], $11::text[])
    with ordinality item(subject, kind, resource, action, position)
  offset 0
) i
left join resources r on r.kind_id = i.kind_id and r.resource_id = i.resource
  and (i.workspace_id is null or r.workspace_id = i.workspace_id or r.visibility = 'public'
    or r.parent_id is not null and r.inherits)
  and ${isInLiveTree('r.kind_id', 'r.resource_id')}
cross join lateral (
  select r.workspace_id <> i.workspace_id as is_outside,
    ${userId} as user_id, ${workspaceId} as workspace_id, i.service, i.action, i.position
) q`
}

/**
 * The facts of a check as bits (`bits.ts`), with the bits of its grants. What the requirements of an
 * action or the condition of a share say is uncertain: the bits `barred` and `conditional`.
 */
export function checkBits(ancestry: Ancestry, grants: string, { coverage }: SubjectKind): string {
  // A statement of own grants decides nothing about resources outside the workspace of the subject. The
  // operators `&` and `|` of PostgreSQL have the same precedence.
  const outside =
    ancestry === 'ownGrants' ? grant.inherited : `((${grants}) & ${grant.public | grant.inherited})`
  const barred = `i.barred | case when r.parent_id is null or not r.inherits then 0
      else i.barred_below end`
  const ofGrants = `i.status
  | case when i.workspace_id is not null then 0 else coalesce((
      select ${membershipBitsSql('m')} from live_members m
      where m.user_id = q.user_id and m.workspace_id = q.workspace_id
    ), 0) end
  | case when r.id is null then 0
      when q.is_outside then ${barred} | ${outside}
      else ${grant.registered} | ${barred} | ${grants} end
  | ${actionBitsSql}`
  return withCoverage(ofGrants, coverage?.bitsOfResource(ancestry))
}

/** Return the grants of the subject `q` on the resource `r` as bits. */
export const grantBits: Record<Ancestry, (lookup: GroupLookup) => string> = {
  ownGrants: (lookup) => `${ownBits('r', lookup, 'ownGrants')}
        | case when (r.parent_id is null or not r.inherits) and r.visibility <> 'public' then 0
          else ${grant.inherited} end`,
  withAncestors: (lookup) => bitsWithAncestors(lookup, ancestorBits('r.parent_id', lookup)),
}

/** The same, with the grants on the ancestors that `r` inherits from as the SQL `ofAncestors`. */
export function bitsWithAncestors(lookup: GroupLookup, ofAncestors: string): string {
  return `${ownBits('r', lookup)}
        | case when r.parent_id is null or not r.inherits then 0
          else ${grant.inherited} | ${ofAncestors} end`
}

/**
 * Returns the grants of `q` on the resource with the ID `id` and on those that it inherits from, as
 * bits. They are grants on the resource `r`, which is that resource or a descendant.
 */
export function ancestorBits(id: string, lookup: GroupLookup): string {
  return `coalesce((
          with recursive ${ancestorCte(`a.id = ${id}`, grantColumns)}
          select bit_or(bits) from (
            select ${ownBits('a', lookup)} as bits from chain a offset 0
          ) inherited
        ), 0)`
}

/**
 * Returns a FROM item with one row about the ancestors that the resource `r` inherits from: `bits`, the
 * grants of `q` on them, and `requiring`, those that require something, nearest first, as a JSON array of
 * RequiringAncestor or null. The statement has the CTE `required`. Without `lookup`, there are no grants.
 */
export function ancestorsFrom(lookup?: GroupLookup): string {
  const bits = lookup ? ownBits('a', lookup) : '0'
  return `lateral (
    with recursive ${ancestorCte('a.id = r.parent_id and r.inherits', [...grantColumns, ...conditionColumns])}
    select coalesce(bit_or(bits), 0) as bits,
      json_agg(json_build_array(required.position, ${storedResource('ancestor')}) order by depth)
        filter (where required.kind_id is not null) as requiring
    from (select ${bits} as bits, a.* from chain a offset 0) ancestor
    left join required on required.kind_id = ancestor.kind_id
  ) ancestors`
}

/** Returns the grants of `q` on the resource `alias` itself, without inherited ones. */
function ownBits(alias: string, lookup: GroupLookup, ancestry: Ancestry = 'withAncestors'): string {
  const row = resourceColumns(alias)
  const columns = { subject: subjectColumns, row, asked: askedColumns, lookup }
  return partsOf('bits')
    .filter(({ part }) => ancestry === 'withAncestors' || part.isOwnGrant)
    .map(({ part }) => part.sql(columns))
    .join('\n        | ')
}
