import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Collection, Document } from '@millhand/store'
import fc from 'fast-check'
import { Died, scheduledCollection } from '../scheduled-collection.fixture.ts'
import { type ChangesRecord, changesSpec, createChanges, MOST_TOLD } from './changes.ts'
import { type Announced, unannouncedIndex } from './unannounced.ts'

interface Thing extends Document, Announced {
  /** How often it has changed. */
  readonly state: number
}
type Things = Collection<Thing, 'unannounced'>

const tenant = 'acct_1/live'
const spec = { name: 'things', indexes: { unannounced: unannouncedIndex } } as const

async function make(things: Things, id: string): Promise<void> {
  await things.write({ kind: 'insert', document: { tenant, id, state: 0, created_at: 0 }, events: [] })
}

/** As a key is revoked: in one write, with the mark. */
async function change(things: Things, id: string): Promise<void> {
  for (;;) {
    const before = await things.get(tenant, id)
    if (!before) throw new Error(`there is no ${id}`)
    const document = { ...before, state: before.state + 1, unannounced: 'yes' } as const
    const result = await things.write({ kind: 'replace', version: before.version, document, events: [] })
    if (result.kind === 'written') return
  }
}

const ids = ['thing_a', 'thing_b', 'thing_c'] as const
const changer = fc.array(fc.constantFrom(...ids), { minLength: 1, maxLength: 4 })
/** How often a gateway asks, and after how many steps the identity that answers it dies, if it does. */
const gateway = fc.record({
  polls: fc.integer({ min: 1, max: 4 }),
  dies: fc.option(fc.nat({ max: 6 }), { nil: undefined }),
})

describe('the sequence of changes', () => {
  it('is missed by nobody, whoever changes, asks or dies in between', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(changer, { minLength: 1, maxLength: 4 }),
        fc.array(gateway, { minLength: 1, maxLength: 3 }),
        async (schedule, changers, gateways) => {
          const things = scheduledCollection<Thing, 'unannounced'>(schedule, spec)
          const records = scheduledCollection<ChangesRecord, never>(schedule, changesSpec)
          await schedule.waitFor(Promise.all(ids.map(id => make(things.seenBy(), id))))
          const open = (dies?: number) =>
            createChanges({ name: 'things', documents: things.seenBy(dies), changes: records.seenBy(dies) })
          const stateOf = (id: string) => things.documents.get(`${tenant}/${id}`)?.state ?? 0

          const watch = async ({ polls, dies }: { polls: number; dies: number | undefined }) => {
            const known = new Map<(typeof ids)[number], number>()
            let { last } = await open().after(undefined)
            for (let n = 0; n < polls; n++) {
              for (const id of ids) if (!known.has(id)) known.set(id, stateOf(id))
              const atBegin = new Map(ids.map(id => [id, stateOf(id)]))
              const answered = await open(n === 0 ? dies : undefined)
                .after(last)
                .catch(error => {
                  if (!(error instanceof Died)) throw error
                })
              if (!answered) continue
              assert.ok(answered.last >= last && !answered.everything)
              last = answered.last
              for (const id of ids) if (answered.ids.includes(id)) known.delete(id)
              for (const [id, state] of known) {
                assert.ok(state >= (atBegin.get(id) ?? 0), `${id} has changed, and was not told`)
              }
            }
          }
          const all = [
            ...changers.map(async each => {
              for (const id of each) await change(things.seenBy(), id)
            }),
            ...gateways.map(watch),
          ]
          await schedule.waitFor(Promise.all(all))
          await schedule.waitFor(open().after(undefined))
          for (const thing of things.documents.values()) assert.equal(thing.unannounced, undefined)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('tells who has missed too much, or read another one, that anything may have changed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async schedule => {
        const things = scheduledCollection<Thing, 'unannounced'>(schedule, spec)
        const records = scheduledCollection<ChangesRecord, never>(schedule, changesSpec)
        const changes = createChanges({ name: 'things', documents: things.seenBy(), changes: records.seenBy() })
        const after = (number: number) => schedule.waitFor(changes.after(number))
        const many = Array.from({ length: MOST_TOLD + 1 }, (_, n) => `thing_${n}`)
        await schedule.waitFor(Promise.all(many.map(id => make(things.seenBy(), id))))
        await schedule.waitFor(Promise.all(many.map(id => change(things.seenBy(), id))))
        assert.deepEqual(await after(0), { last: MOST_TOLD + 1, ids: [], everything: true })
        const { ids: told, everything } = await after(1)
        assert.equal(everything, false)
        assert.equal(new Set(told).size, MOST_TOLD)
        assert.deepEqual(await after(MOST_TOLD + 1), { last: MOST_TOLD + 1, ids: [], everything: false })
        assert.equal((await after(MOST_TOLD + 2)).everything, true)
      }),
      { numRuns: 2 },
    )
  })
})
