import type { RestFormat } from '../core/rest-format.ts'
import type { Feature } from './feature.ts'
import { features } from './features.ts'

/** The formats over REST of all features. */
export const restFormats: RestFormat[] = (features as readonly Feature[]).flatMap(
  ({ formats }) => formats ?? [],
)
