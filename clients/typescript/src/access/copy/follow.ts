import { type FollowTarget, followOnce, waitOrStop } from './follow-once.ts'
import { TableError } from './table-error.ts'

export type FollowOptions = Omit<FollowTarget, 'source' | 'signal'> & {
  source: FollowTarget['source']
  signal: AbortSignal
  /** Whether another attempt would fail, too. */
  isFinal(error: unknown): boolean
  /** Called after a failure of daikon or of the database, before the next attempt. */
  onDisconnect?: ((error: Error) => void) | undefined
}

/** The maximum delays before the first attempt to connect again and before later ones, in milliseconds. */
const delays = { first: 100, later: 5000 }

/**
 * Keeps the copy current until the signal is aborted. Continues after the last bookmark that was stored.
 *
 * @throws TableError
 * @throws the errors that are final
 */
export async function follow(options: FollowOptions): Promise<void> {
  const { signal, isFinal, onDisconnect, onProgress } = options
  let failures = 0
  while (!signal.aborted) {
    try {
      await followOnce({
        ...options,
        onProgress(progress) {
          failures = 0
          onProgress?.(progress)
        },
      })
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof TableError || isFinal(error)) throw error
      onDisconnect?.(error as Error)
      const delay = Math.min(delays.first * 2 ** failures, delays.later)
      failures += 1
      await waitOrStop(delay * (0.5 + Math.random() / 2), signal)
    }
  }
}
