/**
 * Returns a function that computes the result for an object once, so that all who pass the same
 * object get the same result. Neither may be changed afterwards.
 */
export function shareResults<Input extends object, Result extends object>(
  compute: (input: Input) => Result,
): (input: Input) => Result {
  const results = new WeakMap<Input, Result>()
  return (input) => {
    const known = results.get(input)
    if (known) return known
    const result = compute(input)
    results.set(input, result)
    return result
  }
}
