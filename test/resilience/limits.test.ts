import test from 'ava'
import { createFaultEnvironment } from '../../bench/faults/fault-environment.ts'
import { formatRow } from '../../bench/faults/fault-result.ts'
import { startRedisCluster } from '../../bench/faults/redis-cluster.ts'
import { measureLimits } from '../../bench/faults/shared-limits.ts'
import { isRedisInstalled, startRedis } from '../rate-limit/redis-server.ts'
import { cloneDatabase } from '../support/database.ts'

if (isRedisInstalled) {
  const database = await cloneDatabase()
  const environment = await createFaultEnvironment(database.url)
  test.after.always(async () => {
    await environment.close()
    await database.drop()
  })

  test.serial(
    'if Redis is killed, each process enforces the limits until Redis is available again',
    async (t) => {
      const redis = await startRedis()
      t.teardown(redis.stop)
      const result = await measureLimits(
        environment,
        'Redis',
        [redis.url],
        1,
        redis.stop,
        redis.start,
      )
      t.log(formatRow(result))
      t.deepEqual(result.problems, [])
      t.deepEqual(Object.keys(result.outcomes).toSorted(), ['400', '429'])
    },
  )

  test.serial(
    'if a Redis Cluster of six nodes loses a master, the limits remain enforced',
    async (t) => {
      const cluster = await startRedisCluster()
      t.teardown(cluster.stop)
      const kill = cluster.killMaster
      const result = await measureLimits(
        environment,
        'cluster',
        cluster.urls,
        1,
        kill,
        async () => {},
      )
      t.log(formatRow(result))
      t.deepEqual(result.problems, [])
      t.deepEqual(Object.keys(result.outcomes).toSorted(), ['400', '429'])
    },
  )
} else {
  test('skipped: redis-server is not installed', (t) => t.pass())
}
