import type { Logger } from '../core/logger.ts'
import type { Source } from '../core/source.ts'

/** The number of times that a value has been reloaded, for metrics. */
export type ReloadState = { name: string; succeeded: number; failed: number; isFailing: boolean }

/** A value that is reloaded when its source changes. */
export type Reloadable<Value> = {
  current(): Value
  /** Reads the source again. If that fails, logs the error once and keeps the current value. */
  reload(): Promise<void>
  state: ReloadState
}

type ReloadableOptions<Value> = {
  /** Names the value in logs and metrics. */
  name: string
  source: Source<Value>
  log: Pick<Logger, 'info' | 'error'>
  /** Called with each new value. If it throws, the previous value stays in use. */
  onChange?: (value: Value) => void
}

/** Creates a reloadable value from the current content of its source. Throws if it is invalid. */
export async function createReloadable<Value>({
  name,
  source,
  log,
  onChange = () => {},
}: ReloadableOptions<Value>): Promise<Reloadable<Value>> {
  const first = await source.read()
  let value = await first.parse()
  let version = first.version
  let reported: string | undefined
  let running: Promise<void> = Promise.resolve()
  const state: ReloadState = { name, succeeded: 0, failed: 0, isFailing: false }

  async function readSource(): Promise<void> {
    try {
      const next = await source.read()
      if (next.version !== version) {
        const parsed = await next.parse()
        onChange(parsed)
        value = parsed
        version = next.version
        state.succeeded += 1
        log.info(`Reloaded the ${name}`)
      }
      state.isFailing = false
      reported = undefined
    } catch (error) {
      state.isFailing = true
      const { message } = error as Error
      if (message === reported) return
      reported = message
      state.failed += 1
      log.error({ err: error }, `Reloading the ${name} failed; the previous ones remain in use`)
    }
  }

  return {
    current: () => value,
    reload() {
      // A running reload may miss a change, so the source is read again after it.
      running = running.then(readSource)
      return running
    },
    state,
  }
}
