import type { Question } from './dialogs.tsx'

/** What parts of the page do. */
export type PageActions = { ask: (question: Question) => void; reload: () => Promise<void> }
