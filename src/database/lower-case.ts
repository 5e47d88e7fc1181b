/**
 * Returns SQL for a text in lower case. Databases with a Turkish collation turn `I` into `ı`, so that `ADMIN`
 * would not equal `admin`.
 */
export function lowerCase(sql: string): string {
  return `lower(replace(${sql}, 'I', 'i'))`
}
