import type { SubjectKind } from './subject-kind.ts'

/** A user by ID, e-mail address, external ID or access token; or nobody, who may view what is public. */
export const user: SubjectKind = {
  idMember: 'userId',
  tables: () => ({}),
  ignoredBits: 0,
  ignoredInSearches: 0,
  rules: null,
  coverage: null,
  hasRole: true,
  isPlural: false,
  isRemembered: true,
}
