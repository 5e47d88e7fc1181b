import type { EntityManager } from '@mikro-orm/postgresql'

/** A statement whose values `$1`, `$2`, … travel beside its text. */
export type BoundStatement = { sql: string; values: (string | undefined)[] }

/**
 * Runs a statement in the transaction of `em`, for values by the thousand: the ORM writes its values
 * into the text, which takes many times their room in both processes.
 */
export async function executeBound<Row>(
  em: EntityManager,
  { sql, values }: BoundStatement,
): Promise<Row[]> {
  const query = { kind: 'RawNode', sqlFragments: [sql], parameters: [] } as const
  try {
    const { rows } = await em
      .getKysely()
      .executeQuery<Row>({ query, sql, parameters: values, queryId: { queryId: '' } })
    return rows
  } catch (error) {
    throw em.getDriver().convertException(error as Error)
  }
}
