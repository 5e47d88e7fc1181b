import { RelationStore } from './relation-store.ts'

/** The stores of the feature, by the name under which handlers use them. */
export const followingStores = {
  relations: RelationStore,
}
