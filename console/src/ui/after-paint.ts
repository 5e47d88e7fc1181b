/**
 * Calls `run` after the browser has painted the effect of a click or keystroke, so that the effect
 * is visible immediately.
 */
export function afterPaint(run: () => void): void {
  requestAnimationFrame(() => setTimeout(run))
}
