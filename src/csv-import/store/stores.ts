import { ImportStore } from './import-store.ts'

/** The stores of the feature, by the name under which handlers use them. */
export const csvImportStores = { imports: ImportStore }
