import { LinkStore } from './link-store.ts'

/** The stores of the feature, by the name under which handlers use them. */
export const linkStores = {
  links: LinkStore,
}
