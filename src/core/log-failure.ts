/** Returns what logs the errors of work in the background. `text` says what has failed. */
export type LogFailure = (text: string) => (error: unknown) => void
