import { kubernetesMissing } from '@millhand/test-servers'
import { describeDriver } from '../driver.contract.ts'
import { images, startCluster } from './kubernetes.fixture.ts'
import { namespaceOf } from './labels.ts'

describeDriver(
  'kubernetes',
  async () => {
    const cluster = await startCluster()
    await cluster.addNode('node-1')
    return {
      driver: cluster.driver(),
      reopen: () => cluster.driver(),
      images,
      async vanish(name) {
        const namespace = namespaceOf('millhand-', 'test', 'acct_1/live')
        const path = `/api/v1/namespaces/${namespace}/pods/${name}`
        await cluster.admin.call('DELETE', path, {
          ...{ signal: AbortSignal.timeout(60_000), body: { gracePeriodSeconds: 0 } },
        })
      },
      loseHost: async () => cluster.kubernetes.pause(),
      restoreHost: async () => cluster.kubernetes.resume(),
      close: async () => await cluster[Symbol.asyncDispose](),
    }
  },
  { skip: kubernetesMissing },
)
