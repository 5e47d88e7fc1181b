import { accessKeys } from '../access-keys/feature.ts'
import { account } from '../account/feature.ts'
import type { ActivityEventName, ActivityEvents } from '../activity/events.ts'
import { activity } from '../activity/feature.ts'
import { admin } from '../admin/feature.ts'
import { apiResources } from '../api-resources/feature.ts'
import { clientMetadata } from '../client-metadata/feature.ts'
import { connections } from '../connections/feature.ts'
import { consent } from '../consent/feature.ts'
import { console } from '../console/feature.ts'
import { csvImport } from '../csv-import/feature.ts'
import { delegations } from '../delegations/feature.ts'
import { emailSignIn } from '../email-sign-in/feature.ts'
import { following } from '../following/feature.ts'
import { gateway } from '../gateway/feature.ts'
import { identity } from '../identity/feature.ts'
import { links } from '../links/feature.ts'
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
  links,
  accessKeys,
  admin,
  apiResources,
  clientMetadata,
  consent,
  delegations,
  passkeys,
  csvImport,
  connections,
  scim,
  webhooks,
  gateway,
  account,
  activity,
  following,
  console,
] as const satisfies Feature[]

/** What the features have in common. */
export const allFeatures: readonly Feature[] = features

/** Returns the names of the features that pages show: those that the settings do not turn off. */
export function listFeatureNames(settings: object): string[] {
  return allFeatures.filter(({ isOn }) => isOn?.(settings as never) ?? true).map(({ name }) => name)
}

/** The events of all features. If the list lacks a feature, this does not compile. */
export const activityEvents: Pick<ActivityEvents, ActivityEventName> = joinTables(
  features.flatMap((feature) => ('events' in feature ? [feature.events] : [])),
)

/** The sign-in methods of daikon's own. */
export const signInMethods = (features as readonly Feature[]).flatMap(
  ({ signInMethods = [] }) => signInMethods,
)
