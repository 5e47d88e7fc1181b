import type { RestFormat } from '../core/rest-format.ts'
import { scimFormat } from '../scim/rest-format.ts'

/** The formats over REST of all features. */
export const restFormats: RestFormat[] = [scimFormat]
