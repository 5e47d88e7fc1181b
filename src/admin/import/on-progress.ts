/** Hears how far an import has come: in what it does, how much of how much. */
export type OnProgress = (
  doing: 'Reading' | 'Comparing' | 'Writing',
  done: number,
  all: number,
) => void
