import type { Logger } from '../core/logger.ts'
import type { Source } from '../core/source.ts'

/** How often a value has been reloaded, for metrics. */
export type ReloadState = { name: string; succeeded: number; failed: number; isFailing: boolean }

/** A value that follows its source. */
export type Reloadable<Value> = {
  current(): Value
  /** Reads the source. A source that is invalid or cannot be read changes nothing, and is logged once. */
  reload(): Promise<void>
  state: ReloadState
}

type ReloadableOptions<Value> = {
  /** Names the value in logs and metrics. */
  name: string
  source: Source<Value>
  log: Pick<Logger, 'info' | 'error'>
  /** Called with each new value; the value before it stays in use if this throws. */
  onChange?: (value: Value) => void
}

/** Reads the source for the first time. Throws if it is invalid. */
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
      // A change during a reload must not be missed, so the source is read again after it.
      running = running.then(readSource)
      return running
    },
    state,
  }
}
