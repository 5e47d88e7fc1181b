import { features } from './features.ts'

/** What all features run, which is read at the start. */
export const parts = await Promise.all(features.map(({ load }) => load()))
