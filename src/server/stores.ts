import type { EntityManager } from '@mikro-orm/postgresql'
import { ActivityStore } from '../activity/store/activity-store.ts'
import type { Transactional } from '../core/request-context.ts'
import { RolloutStore } from '../database/rollout-store.ts'
import { inTransaction } from '../database/transaction.ts'
import { joinTables } from './feature.ts'
import { activityEvents, features } from './features.ts'
import { parts } from './parts.ts'

/** The activity log, with the events of all features. */
class FeatureActivityStore extends ActivityStore {
  constructor(em: EntityManager) {
    super(em, activityEvents)
  }
}

/** The stores of all features, by the name under which handlers use them. */
const storeClasses = joinTables([
  ...parts.flatMap((part) => ('stores' in part ? [part.stores] : [])),
  { activity: FeatureActivityStore, rollout: RolloutStore },
])

/** The functions that create the ports of all features. */
const portFactories = {
  ...joinTables(
    features.flatMap((feature) => ('defaultPorts' in feature ? [feature.defaultPorts] : [])),
  ),
  ...joinTables(features.flatMap((feature) => ('ports' in feature ? [feature.ports] : []))),
}

type Ports = {
  [Name in keyof typeof portFactories]: ReturnType<(typeof portFactories)[Name]>
}

/** The stores and ports of all features. */
export type Stores = Ports & {
  [Name in keyof typeof storeClasses]: InstanceType<(typeof storeClasses)[Name]>
}

/** If a store or port that a port needs is missing, this does not compile. */
const ports: { [Name in keyof Ports]: (stores: Stores) => Ports[Name] } = portFactories

/**
 * Creates the stores and ports of a call, or of a transaction of it. A call uses few of them, so each
 * is created at its first use.
 */
export function createStores(em: EntityManager): Transactional<Stores> {
  return Object.assign(Object.create(lazyStores) as Stores & StoreScope, {
    em,
    transaction: <Result>(work: (tx: Transactional<Stores>) => Promise<Result>) =>
      inTransaction(em, (em) => work(createStores(em))),
  })
}

type StoreScope = { em: EntityManager }

/** Getters that replace themselves with the store or port. */
const lazyStores = {}
for (const [name, Store] of Object.entries(storeClasses))
  defineLazily(name, ({ em }) => new Store(em))
for (const [name, create] of Object.entries(ports)) defineLazily(name, create)

function defineLazily(name: string, create: (stores: Stores & StoreScope) => object): void {
  Object.defineProperty(lazyStores, name, {
    get(this: Stores & StoreScope) {
      const value = create(this)
      Object.defineProperty(this, name, { value })
      return value
    },
  })
}
