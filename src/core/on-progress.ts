/** Receives the progress of an import: the phase and the number of completed units. */
export type OnProgress = (
  phase: 'Reading' | 'Comparing' | 'Writing',
  done: number,
  total: number,
) => void
