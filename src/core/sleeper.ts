/** Lets one reader wait until it is woken. */
export class Sleeper {
  #wake: () => void = () => {}

  /** Ends the wait, if there is one. */
  wake(): void {
    this.#wake()
  }

  /** Resolves when woken, after `milliseconds`, or when the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timeout)
        signal.removeEventListener('abort', wake)
        this.#wake = () => {}
        resolve()
      }
      const timeout = setTimeout(wake, milliseconds)
      signal.addEventListener('abort', wake)
      this.#wake = wake
      if (signal.aborted) wake()
    })
  }
}
