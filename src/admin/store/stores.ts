import { ClientAppStore } from './client-app-store.ts'
import { KeptTextStore } from './kept-text-store.ts'
import { NameSearchStore } from './name-search-store.ts'
import { NameStore } from './name-store.ts'
import { PeopleStore } from './people-store.ts'
import { ServiceAppStore } from './service-app-store.ts'
import { StatisticsStore } from './statistics-store.ts'
import { UserDataStore } from './user-data-store.ts'

/** The stores of the feature, by the name under which handlers use them. */
export const adminStores = {
  clientApps: ClientAppStore,
  keptTexts: KeptTextStore,
  names: NameStore,
  nameSearch: NameSearchStore,
  people: PeopleStore,
  serviceApps: ServiceAppStore,
  statistics: StatisticsStore,
  userData: UserDataStore,
}
