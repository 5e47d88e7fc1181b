import { account } from '../account/feature.ts'
import type { ActivityEventName, ActivityEvents } from '../activity/events.ts'
import { activity } from '../activity/feature.ts'
import { admin } from '../admin/feature.ts'
import { apiResources } from '../api-resources/feature.ts'
import { connections } from '../connections/feature.ts'
import { csvImport } from '../csv-import/feature.ts'
import { emailSignIn } from '../email-sign-in/feature.ts'
import { gateway } from '../gateway/feature.ts'
import { identity } from '../identity/feature.ts'
import { passkeys } from '../passkeys/feature.ts'
import { permissions } from '../permissions/feature.ts'
import { scim } from '../scim/feature.ts'
import { webhooks } from '../webhooks/feature.ts'
import { workspaces } from '../workspaces/feature.ts'
import { type Feature, joinTables } from './feature.ts'

/**
 * The features of the server, in the order of their events and settings in the documentation. Nothing
 * else names the features that a server can do without.
 */
export const features = [
  identity,
  emailSignIn,
  workspaces,
  permissions,
  admin,
  apiResources,
  passkeys,
  csvImport,
  connections,
  scim,
  webhooks,
  gateway,
  account,
  activity,
] as const satisfies Feature[]

/** The events of all features. If the list lacks a feature, this does not compile. */
export const activityEvents: Pick<ActivityEvents, ActivityEventName> = joinTables(
  features.map(({ events }) => events),
)

/** The sign-in methods of daikon's own. */
export const signInMethods = (features as readonly Feature[]).flatMap(
  ({ signInMethods = [] }) => signInMethods,
)
