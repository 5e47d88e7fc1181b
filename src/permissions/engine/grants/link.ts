import { noPairs, pairOfShare } from './access-pairs.ts'
import { type GrantKind, notApplicable } from './grant-kind.ts'

const isShare = 'the link is the subject, with whom its resource is shared (subjects/link.ts)'

/**
 * What a link opens. Statements about the subject `link` read links instead of shares, so links take
 * part as shares do and only reasons name them by a rule of their own.
 */
export const link: GrantKind = {
  bits: notApplicable(isShare),
  actionGranted: notApplicable('links have no custom roles'),
  reasons: notApplicable(isShare),
  idMember: 'linkId',
  workspaceRoles: notApplicable('links have no custom roles'),
  assumedBy: notApplicable('assumptions are about users and groups'),
  resources: notApplicable('searches of a link read all that it opens (statements/links.ts)'),
  folders: notApplicable('searches of a link read all that it opens (statements/links.ts)'),
  subjects: notApplicable('searches for subjects do not list links'),
  conditions: notApplicable(isShare),
  accessPairs: {
    accepted: (resource) => resource.links.map((one) => pairOfShare(resource, one)),
    // A link holds what a user with the ID of the link would.
    held: () => noPairs,
  },
  changeRecords: notApplicable('facts about links are not kept in memory'),
  expiry: notApplicable('facts about links are not kept in memory'),
  storedIn: 'resource_links',
}
