import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import type { AppendedEvent, SqliteDatabase } from '@millhand/store/sqlite'
import type { IsUrgent } from '../event-log.ts'
import { appendNotifier, FAR_BEHIND, REST_MS } from './append-notifier.ts'

const event = (topic: string, value = '{}'): AppendedEvent => ({
  ...{ topic, key: 'k', id: 'e', type: 'x', time: 0, value },
  ...{ tenant: 't', position: '1' },
})

describe('a reader of the log', () => {
  /** A log that only tells of appends, and whether the reader has been woken. */
  function open(isUrgent?: IsUrgent) {
    mock.timers.enable({ apis: ['setTimeout'] })
    let listener: (events: readonly AppendedEvent[]) => void = () => {}
    const db = {
      lastEvent: 0,
      onAppended(heard: typeof listener) {
        listener = heard
        return () => {}
      },
    }
    const stop = new AbortController()
    const notifier = appendNotifier(db as unknown as SqliteDatabase, new Set(['a']), stop.signal, isUrgent)
    let isWoken = false
    notifier.reading()
    const woken = notifier.news(0).then(() => {
      isWoken = true
    })
    return {
      db,
      stop,
      append: (...events: AppendedEvent[]) => listener(events),
      async isWoken() {
        await Promise.resolve()
        await Promise.resolve()
        return isWoken
      },
      async end() {
        stop.abort()
        await woken
        notifier.stop()
        mock.timers.reset()
      },
    }
  }

  it('is woken 20 ms after the first event of its topics, once for all that come meanwhile', async () => {
    const at = open()
    at.append(event('b'))
    mock.timers.tick(10 * REST_MS)
    assert.equal(await at.isWoken(), false)
    at.append(event('a'))
    mock.timers.tick(REST_MS - 1)
    at.append(event('a'))
    assert.equal(await at.isWoken(), false)
    mock.timers.tick(1)
    assert.equal(await at.isWoken(), true)
    await at.end()
  })

  it('is woken at once by an urgent one among them', async () => {
    const at = open(({ tenant, value }) => tenant === 't' && value === 'urgent')
    at.append(event('b', 'urgent'), event('a'))
    assert.equal(await at.isWoken(), false)
    at.append(event('a'), event('a', 'urgent'))
    assert.equal(await at.isWoken(), true)
    await at.end()
  })

  it('is woken by others’ events once it holds back so many of them', async () => {
    const at = open()
    at.db.lastEvent = FAR_BEHIND
    at.append(event('b'))
    mock.timers.tick(REST_MS)
    assert.equal(await at.isWoken(), true)
    await at.end()
  })

  it('is woken at its end', async () => {
    const at = open()
    at.stop.abort()
    assert.equal(await at.isWoken(), true)
    await at.end()
  })
})
