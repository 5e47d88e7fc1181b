import type { StatementPool } from '../database/statement-pool.ts'
import { createResourceServices } from './resource-services.ts'
import { ApiResourceStore } from './store/api-resource-store.ts'

type Dependencies = { database: { statements: StatementPool } }

/** What tokens for APIs run. */
export const parts = {
  stores: { apiResources: ApiResourceStore },
  createServices: ({ database: { statements } }: Dependencies) => ({
    resourceServices: createResourceServices(statements),
  }),
  createHandlers: () => ({}),
}
