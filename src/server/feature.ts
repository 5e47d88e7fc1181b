import type { EventTable } from '../activity/events.ts'
import type { SettingTable } from '../config/setting.ts'
import type { CollectUses } from '../core/collect-uses.ts'
import type { CredentialKind, CredentialVariant } from '../core/credential-kind.ts'
import type { ErrorReason } from '../core/define-reasons.ts'
import type { DeploymentChecks, ReadRows, SettingChecks } from '../core/deployment-checks.ts'
import type { FeatureListener, FeatureServer } from '../core/feature-server.ts'
import type { Job } from '../core/job.ts'
import type { RestFormat } from '../core/rest-format.ts'
import type { SecretBox } from '../core/secret-box.ts'
import type { IdentityCredentialDependencies } from '../identity/credentials/kinds.ts'
import type { OwnMethod } from '../identity/providers/own-methods.ts'

/** What kinds of credentials need. */
export type CredentialDependencies = IdentityCredentialDependencies & { collectUses: CollectUses }

/** Functions that create each port from the stores and other ports of a call or a transaction. */
type PortFactories = Readonly<Record<string, (stores: never) => object>>

/**
 * What a feature brings to the server: the record that `feature.ts` in its folder exports. The server
 * composes the records of all features.
 */
export type Feature = {
  /** The name of its folder. */
  name: string
  /** The names of the features whose files its files import. */
  needs: readonly string[]
  /** The events that it records in the activity log. */
  events?: EventTable
  /** Creates its kinds of credentials. `variants` are those that all features bring. */
  createCredentialKinds?: (
    dependencies: CredentialDependencies,
    variants: CredentialVariant[],
  ) => CredentialKind[]
  /** Creates its variants of the credentials of users. */
  createVariants?: (dependencies: CredentialDependencies) => CredentialVariant[]
  /** The formats of its methods over REST. */
  formats?: readonly RestFormat[]
  /** The sign-in methods whose pages it has. */
  signInMethods?: readonly OwnMethod[]
  /** What it tells the features below, which declare the types. */
  ports?: PortFactories
  /** What it finds where no feature above provides a port that it declares. */
  defaultPorts?: PortFactories
  /** A page of its own at BASE_URL. */
  page?: PageOfFeature
  /** The reasons of its errors. */
  reasons?: Readonly<Record<string, ErrorReason>>
  /** Its settings. */
  settings?: SettingTable
  /** Whether the settings turn it on. The pages of the server show a feature only if they do. */
  isOn?: (settings: never) => boolean
  /**
   * Returns a sentence for each rule that settings break, starting with a variable. The settings are
   * its own and the central ones.
   */
  findMistakes?: (settings: never) => string[]
  /** The address of the server that it starts. */
  listener?: FeatureListener
  /** Creates its checks of settings for `daikon doctor`. */
  createSettingChecks?: (settings: never) => SettingChecks
  /** Loads what it runs, so that help and completion do not load it. */
  load: () => Promise<FeatureParts>
}

/** A page that is built with the console, into a folder beside it. */
export type PageOfFeature = {
  /** Where it is, such as `/account`. All that begins with it belongs to the page. */
  path: string
  /** The folder of its build in `console`. */
  folder: string
  /** Returns what the page needs of the settings. `features` are the names of what the server can do. */
  createSettings: (settings: never, features: string[]) => object
}

/**
 * What a feature runs on a node. The functions declare what they need of the server and of the services
 * of all features.
 */
export type FeatureParts = {
  /** Its stores, by the name under which handlers use them. */
  stores?: Readonly<Record<string, new (em: never) => object>>
  /** Creates what lives as long as the node. Handlers find it in their context. */
  createServices?: (dependencies: never) => object
  /** What it finds where no feature above provides a service that it declares. */
  defaultServices?: object
  /** Creates its handlers, by service. */
  createHandlers: (dependencies: never) => Record<string, object>
  createJobs?: (dependencies: never) => Job[]
  /** Starts its server, unless settings turn it off. */
  startServer?: (dependencies: never) => Promise<FeatureServer | undefined>
  /** Ends its work in the background and waits for it. */
  stop?: (services: never) => Promise<void>
  /** Creates its checks for `daikon doctor`. */
  createChecks?: (readRows: ReadRows, settings: never) => DeploymentChecks
  /** Encrypts its secrets with the first key. Returns the number of changed ones. */
  reencrypt?: (stores: never, box: SecretBox) => Promise<number>
}

/**
 * Joins the tables of features.
 *
 * @throws an error if two of them declare the same name
 */
export function joinTables<Table extends object>(tables: readonly Table[]): Joined<Table> {
  const names = tables.flatMap((table) => Object.keys(table))
  const repeated = names.find((name, index) => names.indexOf(name) < index)
  if (repeated !== undefined) throw new Error(`two features declare ${repeated}`)
  return Object.assign({}, ...tables)
}

/**
 * Joins what features bring to services.
 *
 * @throws an error if two of them bring the same method
 */
export function joinServices<Table extends Record<string, object>>(
  tables: readonly Table[],
): Joined<Table> {
  const services = [...new Set(tables.flatMap((table) => Object.keys(table)))]
  const join = (service: string) => joinTables(tables.flatMap((table) => table[service] ?? []))
  return Object.fromEntries(services.map((service) => [service, join(service)])) as Joined<Table>
}

/** The members of all types of a union. */
type Joined<Union> = (Union extends unknown ? (of: Union) => void : never) extends (
  of: infer Members,
) => void
  ? Members
  : never
