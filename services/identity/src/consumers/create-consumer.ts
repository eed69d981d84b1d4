import { timestampMs } from '@bufbuild/protobuf/wkt'
import { createConsumerSecret, fail, failFaults, hashOfKey } from '@millhand/api'
import type { Consumer, CreateConsumerRequest } from '@millhand/api/gen/millhand/identity/v1/consumer_pb.ts'
import { noAccount } from '@millhand/store'
import { foundAccount } from '../accounts/account.ts'
import { requireKnown } from '../keys/scopes.ts'
import { allConsumers, type ConsumerDeps, type ConsumerRecord, consumerMessage, endOf } from './consumer-record.ts'

/** Services hold all of them, and are told all of them every few seconds. */
const MOST = 200
/** To recognise a secret by: `mhc_` and 4 random characters. */
const PREFIX_LENGTH = 8

/** Makes a consumer. The answer is the only one that shows its secret. */
export const createConsumer =
  ({ accounts, consumers, clock, ids }: ConsumerDeps) =>
  async (req: CreateConsumerRequest): Promise<Consumer> => {
    requireKnown(req.scopes)
    const now = clock.now()
    const expires_at = req.expiresAt && timestampMs(req.expiresAt)
    if (expires_at !== undefined && expires_at <= now) throw hasEnded()
    const named = new Set(req.accounts.map(entry => entry.split('/', 1)[0] ?? '').filter(id => id !== '*'))
    await Promise.all([...named].map(id => foundAccount(accounts, id)))
    const living = (await allConsumers(consumers)).filter(each => endOf(each, now) === undefined)
    if (living.length >= MOST) throw fail('conflict', `There are ${MOST} consumers already: revoke one.`)

    const secret = createConsumerSecret()
    const consumer: ConsumerRecord = {
      tenant: noAccount,
      id: ids('consumer'),
      version: 1,
      name: req.name,
      methods: req.methods,
      accounts: req.accounts,
      scopes: req.scopes,
      prefix: secret.slice(0, PREFIX_LENGTH),
      sha256: Buffer.from(hashOfKey(secret)).toString('hex'),
      created_at: now,
      ...(expires_at !== undefined && { expires_at }),
    }
    const result = await consumers.write({ kind: 'insert', document: consumer, events: [] })
    if (result.kind === 'conflict') throw new Error(`the id ${consumer.id} is taken`)
    return consumerMessage(consumer, secret)
  }

const hasEnded = () =>
  failFaults([{ param: 'expires_at', code: 'out_of_range', message: '`expires_at` must be in the future.' }])
