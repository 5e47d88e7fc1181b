/** Runs when the browser has painted what a click or key has changed, so that it is visible without delay. */
export function afterPaint(run: () => void): void {
  requestAnimationFrame(() => setTimeout(run))
}
