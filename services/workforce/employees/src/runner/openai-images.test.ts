/** What a run that asks an image model is told that it waits for: never an address or a key. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createLog } from '@millhand/telemetry'
import { openAIImages } from './openai-images.ts'
import { type ImageReply, scriptedImages } from './scripted-images.fixture.ts'
import { unservedUrl } from './serve-model.fixture.ts'

const KEY = 'sk-of-the-painter'
const log = createLog({ level: 'error', write: () => {} })
const wish = { prompt: 'A harbour before sunrise.', width: 640, height: 480 }
const first = 'The image model had not answered yet.'

/** Stopped once it has been told `most` times what it waits for. */
async function depict(url: string, most = Number.POSITIVE_INFINITY) {
  const waits: (string | undefined)[] = []
  const stopping = new AbortController()
  const onWait = (reason: string | undefined) => {
    if (waits.push(reason) === most) stopping.abort()
  }
  const limits = { onUsage: () => {}, onWait, reserve: async () => {}, signal: stopping.signal }
  const depicted = await openAIImages({ url, model: 'painter', key: KEY, pictureMicros: 1, log }).depict(wish, limits)
  return { waits, depicted }
}

const asked = async (t: TestContext, replies: readonly ImageReply[]) => depict((await scriptedImages(t, replies)).url)

describe('an image model', () => {
  it('that is away is asked again after a pause, and its run is told what it waits for', async t => {
    const { depicted, waits } = await asked(t, [503, 429, Buffer.from('a picture')])
    assert.equal(depicted.kind, 'depicted')
    assert.deepEqual(waits, [
      first,
      'The image model’s server did not answer the request; its status was 503.',
      'The image model’s server did not answer the request; its status was 429.',
      undefined,
    ])
  })

  it('whose server is not there: what a run that is stopped waited for is told, without an address', async () => {
    const { depicted, waits } = await depict(await unservedUrl(), 2)
    assert.ok(depicted.kind === 'untold' && depicted.fault.code === 'model_unavailable')
    assert.deepEqual(waits, [first, 'The connection to the image model’s server failed: ECONNREFUSED.'])
  })

  it('that answers without a picture is not waited for any more', async t => {
    const { depicted, waits } = await asked(t, [{ data: [{ url: 'http://127.0.0.1:9/secret.png' }] }])
    assert.ok(depicted.kind === 'untold' && depicted.fault.code === 'answer_invalid')
    assert.deepEqual(waits, [first, depicted.fault.message, undefined])
    assert.ok(!depicted.fault.message.includes('secret'))
  })

  it('whose key is wrong says so with the status of its server', async t => {
    const { depicted } = await asked(t, [401])
    assert.deepEqual(depicted.kind === 'untold' && depicted.fault, {
      code: 'model_unavailable',
      message: 'The image model’s server did not answer the request; its status was 401.',
      retryable: true,
    })
  })
})
