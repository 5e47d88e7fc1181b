import { requestScope } from '../../core/request-scope.ts'
import { toPage } from '../accessible.ts'
import { isUnused } from '../conditions/work.ts'
import { countJudged } from '../engine/conditions/judged-facts.ts'
import type { Engine } from '../engine/engine.ts'
import { decide } from '../engine/facts.ts'
import { splitIds } from '../engine/lists/list.ts'
import { firstId, readPageToken } from '../engine/lists/page-token.ts'
import type { Subject } from '../engine/question.ts'
import { type SubjectKindName, subjectKinds } from '../engine/subjects/subject-kinds.ts'
import {
  createFindByWorkspace,
  type FindResources,
  type WorkspaceSource,
} from './find-by-workspace.ts'

/** What a kind of subject can have access to. */
export type ResourceSource = {
  /** Returns the ID of a subject. Undefined if it does not exist or is inactive. */
  findId(subject: Subject): Promise<string | undefined>
  find: FindResources
}

/** Creates the source of each kind of subject. */
export function createResourceSources(
  engine: Engine,
): Record<SubjectKindName | 'anonymous', ResourceSource> {
  const findByWorkspace = (source: WorkspaceSource) => createFindByWorkspace(engine, source)
  return {
    user: { findId: engine.findActiveUser, find: findByWorkspace(createUserSource(engine)) },
    group: {
      findId: engine.findActiveUser,
      find: findByWorkspace(createSourceOfOne(engine, 'group', engine.findWorkspaceOfGroup)),
    },
    link: { findId: async ({ linkId }) => linkId, find: createFindLinked(engine) },
    delegation: {
      findId: async ({ delegationId }) => delegationId,
      find: findByWorkspace(
        createSourceOfOne(engine, 'delegation', engine.findWorkspaceOfDelegation),
      ),
    },
    anonymous: { findId: async () => '', find: findByWorkspace(createPublicSource(engine)) },
  }
}

function createUserSource(engine: Engine): WorkspaceSource {
  return {
    async findWorkspaces({ kind, action, subjectId, workspaceId }, { cursor, limit }) {
      const [after = firstId] = cursor
      const page = { serviceName: kind.serviceName, action, after, limit: limit + 1 }
      const found = await engine.findWorkspacesOfUser(subjectId, workspaceId, page)
      const ids = found.slice(0, limit)
      const last = ids.at(-1)
      return found.length > limit && last !== undefined ? { ids, cursor: [last] } : { ids }
    },
    listWorkspaces: ({ subjectId, workspaceId }, first) =>
      engine.listMemberships(subjectId, first, workspaceId),
    listResources: createListResources(engine, 'user'),
  }
}

/** A group and a delegation have one workspace. */
function createSourceOfOne(
  engine: Engine,
  name: SubjectKindName,
  findWorkspace: (id: string, workspaceId?: string) => Promise<string | undefined>,
): WorkspaceSource {
  return {
    async findWorkspaces({ kind, action, subjectId, tokenId, workspaceId }) {
      const workspace = await findWorkspace(subjectId, workspaceId)
      if (workspace === undefined) return { ids: [] }
      const subject = { tokenId, [subjectKinds[name].idMember]: subjectId }
      const check = { ...kind, resourceId: workspace, workspace, action, subject }
      const [bits] = await engine.loadBits([check])
      return { ids: decide(action, bits) ? [workspace] : [] }
    },
    async listWorkspaces({ subjectId, workspaceId }, first) {
      const workspace = await findWorkspace(subjectId, workspaceId)
      return workspace !== undefined && workspace >= first ? [workspace] : []
    },
    listResources: createListResources(engine, name),
  }
}

/**
 * Lists resources of one workspace. The status of the subject is read again with the list, so that
 * both are from one snapshot.
 */
function createListResources(
  engine: Engine,
  name: SubjectKindName,
): WorkspaceSource['listResources'] {
  return async (search, workspaceId, limit, pageToken) => {
    const { kind, action, subjectId, tokenId, input, work } = search
    const subject = { [subjectKinds[name].idMember]: subjectId }
    const page = { firstId: readPageToken(pageToken), limit: limit + 1 }
    const query = { tokenId, ...subject, workspaceId, ...kind, action, ...page, input, work }
    const { joinedIds, nextId } = await engine.loadList(query, requestScope.getStore())
    return toPage(splitIds(joinedIds), limit, { nextId })
  }
}

/** What everybody may view. */
function createPublicSource(engine: Engine): WorkspaceSource {
  return {
    findWorkspaces: async () => ({ ids: [] }),
    listWorkspaces: async ({ kind, action, workspaceId }, first) =>
      action === 'view' ? engine.listPublicWorkspaces(kind, first, workspaceId) : [],
    // Any number of workspaces can have public resources, and none of them of this type.
    isSparse: true,
    async listResources({ kind, action, input, work }, workspaceId, limit, pageToken) {
      const ids = await engine.listPublic(kind, workspaceId, readPageToken(pageToken), limit + 1)
      const listed = ids.slice(0, limit)
      const subject = { isAnonymous: true }
      const checks = listed.map((resourceId) => ({ ...kind, resourceId, action, subject, input }))
      // The type may require a condition to view its resources.
      const wasUnused = isUnused(work)
      const facts = await engine.loadJudged(checks, work)
      const end = countJudged(listed.length, facts, wasUnused)
      const allowed = listed.slice(0, end).filter((_, index) => decide(action, facts.bits[index]))
      return toPage(allowed, limit, { nextId: ids[end] })
    },
  }
}

/** Finds what a link opens. The cursor is the first ID of the page. */
function createFindLinked(engine: Engine): FindResources {
  return async ({ kind, action, subjectId, workspaceId, input, work }, { cursor, limit }) => {
    const [first = firstId] = cursor
    const query = { ...kind, action, firstId: first, limit: limit + 1, input, work }
    const limited = workspaceId === undefined ? query : { ...query, workspaceId }
    const found = await engine.listLinked(subjectId, limited)
    const ids = found.ids.slice(0, limit)
    const next = found.ids[limit] ?? found.nextId
    return next === undefined ? { ids } : { ids, cursor: [next] }
  }
}
