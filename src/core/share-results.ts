/**
 * Returns a function that computes the result for an object once, so that all who pass the same
 * object get the same result. Neither may be changed afterwards. The result must not depend on who
 * passes `more`.
 */
export function shareResults<Input extends object, More extends unknown[], Result extends object>(
  compute: (input: Input, ...more: More) => Result,
): (input: Input, ...more: More) => Result {
  const results = new WeakMap<Input, Result>()
  return (input, ...more) => {
    const shared = results.get(input)
    if (shared) return shared
    const result = compute(input, ...more)
    results.set(input, result)
    return result
  }
}
